import type { FastifyInstance } from 'fastify'
import type { RequestEnds } from './request-ends.ts'

/**
 * When the server closes, requests in flight finish, and each takes its connection with it: kept alive as usual, the
 * connection would hold the process for another minute.
 */
export function closeGracefully(app: FastifyInstance, ends: RequestEnds): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
  // Answers that the provider wrote by itself did not say so.
  ends.listen(() => {
    if (closing) setImmediate(() => app.server.closeIdleConnections())
  })
}
