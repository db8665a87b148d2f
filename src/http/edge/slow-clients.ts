import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Connection, type Connections, forgetFinished, unanswered } from './connections.ts'

/**
 * The minimum rate of a body that arrives and of an answer that a client reads; slower connections are closed. Every network
 * that carries a telephone call is faster.
 */
const minimumRate = { bytes: 5120, milliseconds: 5000 }

/** Bytes of answers that may stay in memory because clients do not read them. */
const maxUnsent = 256 * 1024 * 1024

const checkInterval = 500

/** Node's own limits, for the headers and for a whole request. Together they close a slow connection within 10 s. */
export const arrivalLimits = {
  requestTimeout: 60_000,
  http: { headersTimeout: 5000, connectionsCheckingInterval: 1000 },
}

interface Mark {
  since: number
  moved: number
  /** Of the socket at the last check. */
  position: Position
}

export function closeSlowClients(app: FastifyInstance, connections: Connections): void {
  const receiving = new WeakMap<Connection, Mark>()
  const sending = new WeakMap<Connection, Mark>()
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setInterval(check, checkInterval).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))

  function check(): void {
    const now = performance.now()
    let unsent = 0
    const stuck: Connection[] = []
    for (const connection of connections.all()) {
      const { socket } = connection
      const sendsInTime = isFastEnough(receiving, connection, isReceiving(connection), received, now)
      const readsInTime = isFastEnough(sending, connection, isSending(connection), sent, now)
      if (!sendsInTime || !readsInTime) {
        app.log.debug({ address: socket.remoteAddress }, 'closed a connection that was too slow')
        socket.destroy()
        continue
      }
      forgetFinished(connection)
      if (socket.writableLength === 0) continue
      unsent += socket.writableLength
      if (sending.get(connection)?.moved === 0) stuck.push(connection)
    }
    if (unsent > maxUnsent) closeLargest(stuck, unsent)
  }
}

/** The bytes that a connection has transferred in one direction. */
interface Position {
  bytes: number
  /** Bytes of the current write that the operating system has not accepted yet, so that a large write counts in part. */
  queued: number
}

const received = ({ bytesRead }: Socket): Position => ({ bytes: bytesRead, queued: 0 })

function sent(socket: Socket): Position {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return { bytes: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 }
}

/** A body is arriving, and the server is ready to read it. */
const isReceiving = ({ request }: Connection): boolean =>
  request !== null && !request.complete && request.readableLength < request.readableHighWaterMark

/** Part of an answer is sent, and the rest waits for the client. */
const isSending = (connection: Connection): boolean =>
  connection.socket.writableLength > 0 && unanswered(connection).length > 0

function isFastEnough(
  marks: WeakMap<Connection, Mark>,
  connection: Connection,
  moving: boolean,
  positionOf: (socket: Socket) => Position,
  now: number,
): boolean {
  const mark = marks.get(connection)
  if (!moving) {
    if (mark) marks.delete(connection)
    return true
  }
  const position = positionOf(connection.socket)
  if (!mark) {
    marks.set(connection, { since: now, moved: 0, position })
    return true
  }
  const whole = position.bytes - mark.position.bytes
  mark.moved += whole > 0 ? whole : Math.max(0, mark.position.queued - position.queued)
  mark.position = position
  if (now - mark.since < minimumRate.milliseconds) return true
  if (mark.moved < minimumRate.bytes) return false
  mark.since = now
  mark.moved = 0
  return true
}

function closeLargest(stuck: Connection[], unsent: number): void {
  stuck.sort((a, b) => b.socket.writableLength - a.socket.writableLength)
  let left = unsent
  for (const { socket } of stuck) {
    if (left <= maxUnsent) return
    left -= socket.writableLength
    socket.destroy()
  }
}
