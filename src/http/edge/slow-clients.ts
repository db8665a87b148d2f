import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Connection, type Connections, forgetOver, unanswered } from './connections.ts'

/**
 * Who sends a body, or takes an answer, by drops only holds a place. The same rule for both: so many bytes in so much
 * time, or the connection ends. Any network that carries a telephone call is four times as fast.
 */
const pace = { bytes: 5120, milliseconds: 5000 }

/** Answers that stand in memory because their readers do not take them. */
const mostUnsent = 256 * 1024 * 1024

const lookEvery = 500

/** Node's own limits, for what it alone sees: the headers, and a request as a whole. Cut within 10 s in all. */
export const arrivalLimits = {
  requestTimeout: 60_000,
  http: { headersTimeout: 5000, connectionsCheckingInterval: 1000 },
}

interface Mark {
  since: number
  moved: number
  /** Of the socket, when it was looked at last. */
  position: Position
}

export function cutSlowClients(app: FastifyInstance, connections: Connections): void {
  const receiving = new WeakMap<Connection, Mark>()
  const sending = new WeakMap<Connection, Mark>()
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setInterval(look, lookEvery).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))

  function look(): void {
    const now = performance.now()
    let unsent = 0
    const stuck: Connection[] = []
    for (const connection of connections.all()) {
      const { socket } = connection
      const inTime = keepsPace(receiving, connection, isReceiving(connection), received(socket), now)
      const taken = keepsPace(sending, connection, isSending(connection), sent(socket), now)
      if (!inTime || !taken) {
        app.log.debug({ address: socket.remoteAddress }, 'a connection that was too slow was cut')
        socket.destroy()
        continue
      }
      forgetOver(connection)
      if (socket.writableLength === 0) continue
      unsent += socket.writableLength
      if (sending.get(connection)?.moved === 0) stuck.push(connection)
    }
    if (unsent > mostUnsent) cutLargest(stuck, unsent)
  }
}

/** What a connection has moved so far in one direction. */
interface Position {
  bytes: number
  /** Bytes of the piece under way that the system has not taken yet: a large piece counts as it goes. */
  queued: number
}

const received = ({ bytesRead }: Socket): Position => ({ bytes: bytesRead, queued: 0 })

function sent(socket: Socket): Position {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return { bytes: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 }
}

/** A body is on its way, and it is not we who keep it waiting. */
const isReceiving = ({ request }: Connection): boolean =>
  request !== null && !request.complete && request.readableLength < request.readableHighWaterMark

/** Part of an answer is out, and the rest waits for its reader. */
const isSending = (connection: Connection): boolean =>
  connection.socket.writableLength > 0 && unanswered(connection).length > 0

function keepsPace(
  marks: WeakMap<Connection, Mark>,
  connection: Connection,
  moving: boolean,
  position: Position,
  now: number,
): boolean {
  const mark = marks.get(connection)
  if (!moving) {
    if (mark) marks.delete(connection)
    return true
  }
  if (!mark) {
    marks.set(connection, { since: now, moved: 0, position })
    return true
  }
  const whole = position.bytes - mark.position.bytes
  mark.moved += whole > 0 ? whole : Math.max(0, mark.position.queued - position.queued)
  mark.position = position
  if (now - mark.since < pace.milliseconds) return true
  if (mark.moved < pace.bytes) return false
  mark.since = now
  mark.moved = 0
  return true
}

function cutLargest(stuck: Connection[], unsent: number): void {
  stuck.sort((a, b) => b.socket.writableLength - a.socket.writableLength)
  let left = unsent
  for (const { socket } of stuck) {
    if (left <= mostUnsent) return
    left -= socket.writableLength
    socket.destroy()
  }
}
