import type { FastifyInstance } from 'fastify'

/**
 * On every answer, whoever writes it: no guessing of types, and under https no way back to http. Set on the raw
 * response, because the OAuth provider answers by itself.
 */
export function transportHeaders(app: FastifyInstance, secure: boolean): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setHeader('x-content-type-options', 'nosniff')
    if (secure) reply.raw.setHeader('strict-transport-security', 'max-age=31536000')
    done()
  })
}
