import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, fail } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { type Connections, unanswered } from './connections.ts'
import { closeLater } from './delayed-close.ts'
import { isAuthorize, maxAuthorizeUrl } from './header-limits.ts'
import { errorBody, json } from '../reply/envelope.ts'

declare module 'node:http' {
  interface ServerResponse {
    request_id?: string
  }
}

const tooLong = fail('url_too_long', 'The URL is too long')
const tooLarge = fail('headers_too_large', 'The request’s headers are too large')
const tooLate = fail('request_timeout', 'The request did not arrive in time')
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
  /** An error as a page, if people open this path in a browser. */
  page(
    start: Start,
    status: number,
    request_id: string,
  ): { headers: Record<string, string>; body: string } | null
  notice(unreadable: Unreadable): void
}

/**
 * Answers bytes that are not an HTTP request with an error in the envelope, and closes the connection. Never within another
 * answer or before an earlier one: the client would take the error for that answer. Only a request that is too large may
 * come from a browser; it gets a page.
 */
export const answerMalformed = (deps: Deps) => {
  /** The parser reports an error for all bytes after the first error too. */
  const closing = new WeakSet<Socket>()
  return (error: ParserError, socket: Socket): void => {
    if (closing.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    closing.add(socket)
    const connection = deps.connections().of(socket)
    const earlier = unanswered(connection)
    const [only, ...others] = earlier
    const whole = connection.request?.complete ?? true
    if (whole) {
      // A request of its own: earlier requests are answered first.
      const last = earlier.at(-1)
      const start = startOf(error)
      if (last) last.once('close', () => answerAndNotice(socket, error, start, deps))
      else answerAndNotice(socket, error, start, deps)
    } else if (only && others.length === 0 && !only.headersSent) {
      // The body of a request that is unanswered and will never be complete. It has an id and a log line.
      const { request_id = randomId() } = only
      const { method = '', url = null } = connection.request ?? {}
      writeAnswer(socket, { answer: answerTo(error, null), start: { method, path: url }, request_id }, deps)
    } else {
      socket.destroy()
    }
  }
}

interface ParserError extends Error {
  code?: string
  /** The last bytes received, and how many of them the parser accepted; missing in Fastify's types. */
  rawPacket?: unknown
  bytesParsed?: number
}

/** The start of the unreadable request. */
interface Start {
  method: string
  /** Null when it is unknown. */
  path: string | null
}

/**
 * The parser reports neither method nor path, so this looks in the last bytes, behind earlier requests. A request line in
 * earlier bytes is missed; the answer then has a body in the envelope, and the connection closes either way.
 */
function startOf({ rawPacket, bytesParsed }: ParserError): Start {
  if (!Buffer.isBuffer(rawPacket)) return { method: '', path: null }
  const read = rawPacket.toString('latin1', 0, bytesParsed)
  const requestsBefore = read.lastIndexOf('\r\n\r\n')
  const line = read.slice(requestsBefore < 0 ? 0 : requestsBefore + 4)
  const [, method = '', path = null] = /^([A-Z]+) (\/[^ \r\n]*)?/.exec(line) ?? []
  return { method, path }
}

function answerTo({ code }: ParserError, path: string | null): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooLate
  if (code !== 'HPE_HEADER_OVERFLOW') return malformed
  return path !== null && path.length > maxAuthorizeUrl && isAuthorize(path) ? tooLong : tooLarge
}

function answerAndNotice(socket: Socket, error: ParserError, start: Start, deps: Deps): void {
  if (!socket.writable) return
  const request_id = randomId()
  const answer = answerTo(error, start.path)
  // Browsers open connections in advance: one without a byte is not worth a log line.
  if (socket.bytesRead > 0) deps.notice({ request_id, address: socket.remoteAddress, status: answer.status })
  writeAnswer(socket, { answer, start, request_id }, deps)
}

function writeAnswer(
  socket: Socket,
  { answer, start, request_id }: { answer: ApiError; start: Start; request_id: string },
  { clock, page }: Deps,
): void {
  if (!socket.writable) return
  const { status } = answer
  const isLarge = answer === tooLong || answer === tooLarge
  const shown = isLarge ? page(start, status, request_id) : null
  const body = shown?.body ?? errorBody(answer, clock.now())
  const headers = {
    'X-Request-Id': request_id,
    ...shown?.headers,
    'Content-Type': shown ? 'text/html; charset=utf-8' : json,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n` +
      // RFC 9110 §9.3.2: an answer to HEAD has no body.
      (start.method === 'HEAD' ? '' : body),
    () => (isLarge ? closeLater(socket) : socket.destroy()),
  )
}
