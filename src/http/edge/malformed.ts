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

const malformed = fail('request_malformed', 'The request is not valid HTTP')

/** An unreadable request: it has no Fastify request with an id, a log line and metrics of its own. */
interface Unreadable {
  request_id: string
  address: string | undefined
  status: number
}

interface Deps {
  clock: Clock
  connections(): Connections
  notice(unreadable: Unreadable): void
}

/**
 * Answers bytes that are not an HTTP request with an error in the envelope, and closes the connection. Never within another
 * answer or before an earlier one: the client would take the error for that answer.
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
      // A request of its own: earlier requests are answered first.
      const last = earlier.at(-1)
      const head = beginsAsHead(error)
      if (last) last.once('close', () => answerAndNotice(socket, answer, head, deps))
      else answerAndNotice(socket, answer, head, deps)
    } else if (only && others.length === 0 && !only.headersSent) {
      // The body of a request that is unanswered and will never be complete. It has an id and a log line.
      const { request_id = randomId() } = only
      writeAnswer(socket, answer, connection.request?.method === 'HEAD', request_id, deps.clock)
    } else {
      socket.destroy()
    }
  }

interface ParserError extends Error {
  code?: string
  /** The last bytes received, and how many of them the parser accepted; missing in Fastify's types. */
  rawPacket?: unknown
  bytesParsed?: number
}

/**
 * Whether the unreadable request is a HEAD, whose answer has no body (RFC 9110 §9.3.2). The parser does not report the
 * method, so this looks in the last bytes, behind earlier requests. A request line in earlier bytes is missed; its answer
 * then has a body, and the connection closes either way.
 */
function beginsAsHead({ rawPacket, bytesParsed }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const read = rawPacket.toString('latin1', 0, bytesParsed)
  const requestsBefore = read.lastIndexOf('\r\n\r\n')
  return read.startsWith('HEAD ', requestsBefore < 0 ? 0 : requestsBefore + 4)
}

function answerAndNotice(socket: Socket, answer: ApiError, head: boolean, { clock, notice }: Deps): void {
  if (!socket.writable) return
  const request_id = randomId()
  // Browsers open connections in advance: one without a byte is not worth a log line.
  if (socket.bytesRead > 0) notice({ request_id, address: socket.remoteAddress, status: answer.status })
  writeAnswer(socket, answer, head, request_id, clock)
}

function writeAnswer(
  socket: Socket,
  answer: ApiError,
  head: boolean,
  request_id: string,
  clock: Clock,
): void {
  if (!socket.writable) return
  const body = errorBody(answer, clock.now())
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nX-Request-Id: ${request_id}\r\n` +
      `Content-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${head ? '' : body}`,
    () => socket.destroy(),
  )
}
