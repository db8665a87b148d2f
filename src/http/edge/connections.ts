import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The state of one connection. */
export interface Connection {
  readonly socket: Socket
  /** The newest request; its body may still be arriving. */
  request: IncomingMessage | null
  /** Answers that may not be sent yet, in order: a client may pipeline requests. */
  answers: ServerResponse[]
}

export interface Connections {
  of(socket: Socket): Connection
  /** All open connections. */
  all(): Iterable<Connection>
}

/**
 * Tracks each connection with its requests; Node offers events of both, but no link between them. Closes connections
 * beyond `most` at once: Node's maxConnections counts those of one listener only.
 */
export function watchConnections(server: Server, most: number): Connections {
  const open = new Map<Socket, Connection>()

  function of(socket: Socket): Connection {
    const known = open.get(socket)
    if (known) return known
    const connection: Connection = { socket, request: null, answers: [] }
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    return connection
  }

  server.on('connection', (socket: Socket) => {
    if (open.size < most) of(socket)
    else socket.destroy()
  })
  // Before Fastify's listener, which may have answered when it returns.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = of(request.socket)
    connection.request = request
    // Drops answers that are sent, also when the client never pauses.
    connection.answers = [...unanswered(connection), response]
  })
  return { of, all: () => open.values() }
}

/** Frees a finished request: thousands of connections may stay open for long. */
export function forgetFinished(connection: Connection): void {
  if (!connection.request?.complete || unanswered(connection).length > 0) return
  connection.request = null
  connection.answers = []
}

/** The answers that are not sent yet. */
export function unanswered(connection: Connection): ServerResponse[] {
  const last = connection.answers.at(-1)
  if (last === undefined || last.closed) return []
  return connection.answers.filter(answer => !answer.closed)
}
