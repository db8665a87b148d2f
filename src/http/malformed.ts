import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { catalogue, type ErrorCode } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'

const answers: Record<string, { code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'The request’s headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'The request did not arrive in time' },
}

const malformed = {
  code: 'request_malformed',
  message: 'This is not an HTTP request that can be read',
} as const

/** Bytes that are no HTTP request: told so in the envelope, whatever they were meant for, and the connection ends. */
export const answerMalformed =
  (clock: Clock) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { code, message } = answers[error.code ?? ''] ?? malformed
    const { status } = catalogue[code]
    const body = JSON.stringify({
      status: { timestamp: clock.now(), ack: status, errors: { code, message, details: [] } },
      data: null,
    })
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${randomId()}\r\n` +
        'Content-Type: application/json; charset=utf-8\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    )
  }
