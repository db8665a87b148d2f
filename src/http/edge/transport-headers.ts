import type { FastifyInstance } from 'fastify'

/** Sets headers on every answer: browsers must not guess content types, and must stay on https once they used it. */
export function transportHeaders(app: FastifyInstance, secure: boolean): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (secure) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
