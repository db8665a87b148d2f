import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is under way on one connection. */
export interface Connection {
  readonly socket: Socket
  /** The request that came last; its body may still be arriving. */
  request: IncomingMessage | null
  /** Answers that may not be out yet, in the order in which they leave: a client may send requests ahead. */
  answers: ServerResponse[]
}

export interface Connections {
  of(socket: Socket): Connection
  /** All that are open. */
  all(): Iterable<Connection>
}

/**
 * Every connection of the server with what it is about: Node tells of requests, and of sockets, but not of both. Those
 * beyond `most` are closed at once; Node's own limit counts only those of its own listener.
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
  // Before the framework's own listener, which may have answered by the time it returns.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = of(request.socket)
    connection.request = request
    // Those that are out are let go, also while the client never pauses.
    connection.answers = [...unanswered(connection), response]
  })
  return { of, all: () => open.values() }
}

/** Lets go of a request that is over: connections may stay open for long, and there may be thousands. */
export function forgetOver(connection: Connection): void {
  if (!connection.request?.complete || unanswered(connection).length > 0) return
  connection.request = null
  connection.answers = []
}

/** The answers that are not out yet. */
export function unanswered(connection: Connection): ServerResponse[] {
  const last = connection.answers.at(-1)
  if (last === undefined || last.closed) return []
  return connection.answers.filter(answer => !answer.closed)
}
