import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Connections, unanswered } from './connections.ts'
import type { RequestEnds } from '../observe/request-ends.ts'

/** Milliseconds in which a request that is in transit may still arrive on an idle connection. */
const idleGrace = 1000

/**
 * When the server closes, requests in flight finish and close their connections: keep-alive would hold the process for
 * another minute. Once `stopping` is aborted, idle connections stay open for a moment: Node would close them together with
 * the listener, and drop requests in transit.
 */
export function closeGracefully(
  app: FastifyInstance,
  ends: RequestEnds,
  connections: Connections,
  stopping?: AbortSignal,
): void {
  const { server } = app
  let closing = false
  let isClosingIdle = false
  let sweep: NodeJS.Timeout | undefined

  app.addHook('preClose', async () => {
    closing = true
    for (const connection of connections.all()) unanswered(connection).forEach(closeAfterAnswer)
    if (!stopping?.aborted) return
    server.closeIdleConnections = () => {}
    // Repeatedly, for clients that never finish a request: Node no longer closes those.
    sweep = setInterval(closeIdle, idleGrace)
  })
  app.addHook('onClose', async () => clearInterval(sweep))
  // On the raw response, because the OAuth provider and list pages are written without Fastify.
  app.addHook('onRequest', (_request, reply, done) => {
    if (closing) closeAfterAnswer(reply.raw)
    done()
  })
  // Answers that had begun before the server closed have no `Connection: close`.
  ends.listen(() => {
    if (!closing || isClosingIdle) return
    isClosingIdle = true
    // Once for all that end now: it walks through all connections.
    setImmediate(() => {
      isClosingIdle = false
      server.closeIdleConnections()
    })
  })

  function closeIdle(): void {
    for (const connection of connections.all()) {
      if (unanswered(connection).length === 0) connection.socket.destroy()
    }
  }
}

function closeAfterAnswer(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close')
}
