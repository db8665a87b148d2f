import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Connections, unanswered } from './connections.ts'
import type { RequestEnds } from '../observe/request-ends.ts'

/** A request may be on its way over a connection that looks idle from here; so long one is waited for. */
const lastRequestsWithin = 1000

/**
 * When the server closes, requests in flight finish, and each takes its connection with it: kept alive as usual, the
 * connection would hold the process for another minute. Told by `stopping` that the process ends, it also leaves idle
 * connections open for a moment, because Node ends them together with the listener, whatever is on its way.
 */
export function closeGracefully(
  app: FastifyInstance,
  ends: RequestEnds,
  connections: Connections,
  stopping?: AbortSignal,
): void {
  const { server } = app
  let closing = false
  let sweep: NodeJS.Timeout | undefined

  app.addHook('preClose', async () => {
    closing = true
    for (const connection of connections.all()) unanswered(connection).forEach(endWith)
    if (!stopping?.aborted) return
    server.closeIdleConnections = () => {}
    // Again and again, for those that never finish a request; Node no longer looks after them.
    sweep = setInterval(endIdle, lastRequestsWithin)
  })
  app.addHook('onClose', async () => clearInterval(sweep))
  // On the raw response, because the OAuth provider, and whoever sends pages, answers by itself.
  app.addHook('onRequest', (_request, reply, done) => {
    if (closing) endWith(reply.raw)
    done()
  })
  // Answers that had begun when the server was closed could not say so.
  ends.listen(() => {
    if (closing) setImmediate(() => server.closeIdleConnections())
  })

  function endIdle(): void {
    for (const connection of connections.all()) {
      if (unanswered(connection).length === 0) connection.socket.destroy()
    }
  }
}

function endWith(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close')
}
