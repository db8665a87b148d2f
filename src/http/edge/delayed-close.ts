import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** Milliseconds in which an answer reaches a client that is still sending. */
const closeDelay = 1000

/**
 * Closes the connection after this answer. RFC 9112 §9.6: a close with unread bytes sends a reset, and the client loses the
 * answer. So the server half-closes, and reads and discards for a moment.
 */
export function closeAfter(reply: FastifyReply): void {
  const { socket } = reply.request.raw
  reply.header('connection', 'close')
  // Node calls this when the answer is sent.
  socket.destroySoon = () => {
    socket.end()
    closeLater(socket)
  }
}

/** For a socket that has ended its side: the bytes that still arrive are discarded meanwhile. */
export function closeLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), closeDelay).unref()
  socket.once('close', () => clearTimeout(timer))
}
