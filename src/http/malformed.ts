import type { Socket } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'

const answers: Record<string, { status: number; reason: string; code: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    code: 'request_malformed',
    message: 'The request’s headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    code: 'request_timeout',
    message: 'The request did not arrive in time',
  },
}

const malformed = {
  status: 400,
  reason: 'Bad Request',
  code: 'request_malformed',
  message: 'This is not an HTTP request that can be read',
}

/** Bytes that are no HTTP request: told so in the envelope, whatever they were meant for, and the connection ends. */
export const answerMalformed =
  (clock: Clock) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { status, reason, code, message } = answers[error.code ?? ''] ?? malformed
    const body = JSON.stringify({
      status: { timestamp: clock.now(), ack: status, errors: { code, message, details: [] } },
      data: null,
    })
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nX-Request-Id: ${randomId()}\r\n` +
        'Content-Type: application/json; charset=utf-8\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    )
  }
