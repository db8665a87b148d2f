import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Requests that fetch would not send: any method, any header, any bytes. */

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface RawRequest {
  method?: string
  path: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

/** One request on a connection of its own; the path goes out as it is written. */
export function send(
  base: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers, agent: false, maxHeaderSize: 65_536 },
      response => {
        text(response).then(
          text => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Writes the bytes and answers everything that comes back until the server closes; null when it does not. */
export function sendBytes(base: string, bytes: string | Buffer, timeout = 5000): Promise<string | null> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let received = ''
    const timer = setTimeout(() => {
      socket.destroy()
      resolve(null)
    }, timeout)
    socket.on('data', data => {
      received += data
    })
    // A server that closes while we still write resets the connection: its answer counts, if it came.
    socket.on('error', error => (received === '' ? reject(error) : resolve(received)))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}

/** What `sendBytes` received, taken apart; the body must not be chunked. */
export function parseAnswer(received: string): { status: number; headers: Headers; text: string } {
  const [head = '', text = ''] = received.split('\r\n\r\n', 2)
  const [line = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map(field => field.split(': ', 2) as [string, string]))
  return { status: Number(line.split(' ')[1]), headers, text }
}
