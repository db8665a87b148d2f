import type { FastifyInstance } from 'fastify'

/** On every answer, whoever writes it: no guessing of types, and under https no way back to http. */
export function transportHeaders(app: FastifyInstance, secure: boolean): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (secure) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
