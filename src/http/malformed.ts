import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, fail } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import { type Connections, unanswered } from './connections.ts'
import { errorBody, json } from './envelope.ts'

const answers: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: fail('headers_too_large', 'The request’s headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: fail('request_timeout', 'The request did not arrive in time'),
}

const malformed = fail('request_malformed', 'This is not an HTTP request that can be read')

/**
 * Bytes that are no HTTP request: told so in the envelope, whatever they were meant for, and the connection ends. Never
 * in the middle of another answer, nor in the place of one that is still to come: its reader would take ours for it.
 */
export const answerMalformed =
  (clock: Clock, connections: () => Connections) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const answer = answers[error.code ?? ''] ?? malformed
    const connection = connections().of(socket)
    const earlier = unanswered(connection)
    const [only, ...others] = earlier
    const whole = connection.request?.complete ?? true
    if (whole) {
      // A request of their own: those before it are answered first.
      const last = earlier.at(-1)
      if (last) last.once('close', () => say(socket, answer, clock))
      else say(socket, answer, clock)
    } else if (only && others.length === 0 && !only.headersSent) {
      // The body of a request that nobody has answered yet, and that will never be whole.
      say(socket, answer, clock)
    } else {
      socket.destroy()
    }
  }

function say(socket: Socket, answer: ApiError, clock: Clock): void {
  if (!socket.writable) return
  const body = errorBody(answer, clock.now())
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nX-Request-Id: ${randomId()}\r\n` +
      `Content-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
