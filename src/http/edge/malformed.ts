import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, fail } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { type Connections, unanswered } from './connections.ts'
import { errorBody, json } from '../reply/envelope.ts'

declare module 'node:http' {
  interface ServerResponse {
    request_id?: string
  }
}

const answers: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: fail('headers_too_large', 'The request’s headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: fail('request_timeout', 'The request did not arrive in time'),
}

const malformed = fail('request_malformed', 'This is not an HTTP request that can be read')

/** Who was told what. No request was there to have an id, a log line and a place in the metrics. */
interface Unreadable {
  request_id: string
  address: string | undefined
  status: number
}

interface Deps {
  clock: Clock
  connections(): Connections
  notice(told: Unreadable): void
}

/**
 * Bytes that are no HTTP request: told so in the envelope, whatever they were meant for, and the connection ends. Never
 * in the middle of another answer, nor in the place of one that is still to come: its reader would take ours for it.
 */
export const answerMalformed =
  (deps: Deps) =>
  (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const answer = answers[error.code ?? ''] ?? malformed
    const connection = deps.connections().of(socket)
    const earlier = unanswered(connection)
    const [only, ...others] = earlier
    const whole = connection.request?.complete ?? true
    if (whole) {
      // A request of their own: those before it are answered first.
      const last = earlier.at(-1)
      const head = beginsAsHead(error)
      if (last) last.once('close', () => sayAndNote(socket, answer, head, deps))
      else sayAndNote(socket, answer, head, deps)
    } else if (only && others.length === 0 && !only.headersSent) {
      // The body of a request that nobody has answered yet, and that will never be whole. It has an id and a log line.
      const { request_id = randomId() } = only
      say(socket, answer, connection.request?.method === 'HEAD', request_id, deps.clock)
    } else {
      socket.destroy()
    }
  }

interface ParserError extends Error {
  code?: string
  /** The bytes that came last, and how many of them could be read; Fastify's types have another word for them. */
  rawPacket?: unknown
  bytesParsed?: number
}

/**
 * Whether the request that could not be read is a HEAD, which is answered without a body (RFC 9110 §9.3.2). The parser
 * does not tell the method of such a request, so it is looked for in the bytes that came last, behind the requests
 * before it. One whose first line came in earlier bytes is taken for another method: it gets a body, and the connection
 * ends either way.
 */
function beginsAsHead({ rawPacket, bytesParsed }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const read = rawPacket.toString('latin1', 0, bytesParsed)
  const requestsBefore = read.lastIndexOf('\r\n\r\n')
  return read.startsWith('HEAD ', requestsBefore < 0 ? 0 : requestsBefore + 4)
}

function sayAndNote(socket: Socket, answer: ApiError, head: boolean, { clock, notice }: Deps): void {
  if (!socket.writable) return
  const request_id = randomId()
  // A connection that nobody ever wrote to, as browsers keep ready, is nothing to tell.
  if (socket.bytesRead > 0) notice({ request_id, address: socket.remoteAddress, status: answer.status })
  say(socket, answer, head, request_id, clock)
}

function say(socket: Socket, answer: ApiError, head: boolean, request_id: string, clock: Clock): void {
  if (!socket.writable) return
  const body = errorBody(answer, clock.now())
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nX-Request-Id: ${request_id}\r\n` +
      `Content-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${head ? '' : body}`,
    () => socket.destroy(),
  )
}
