import type { FastifyReply } from 'fastify'

/** Long enough for an answer to reach a client that is still sending. */
const lingering = 1000

/**
 * Ends the connection with this answer. RFC 9112 §9.6: who closes at once, with bytes of the client unread, makes the
 * client's system throw our answer away; so we say that we are done, and read on for a moment without looking.
 */
export function closeAfter(reply: FastifyReply): void {
  const { socket } = reply.request.raw
  reply.header('connection', 'close')
  // What Node calls when the answer is out.
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), lingering).unref()
  }
}
