import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Made } from './requests.ts'

/** Longer than any answer may take. */
const timeout = 10_000

export interface Got {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends over connections that stay open, a few requests at a time. */
export function createSender(base: string, connections: number) {
  const { hostname, port } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  /** The answer, or what became of it instead. */
  function send({ method, target, headers, body }: Made): Promise<Got | string> {
    return new Promise(resolve => {
      const sent = request(
        { hostname, port, method, path: target, agent, timeout, setDefaultHeaders: true },
        response => {
          text(response).then(
            body => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body }),
            error => resolve(`cut: ${error.code ?? error.message}`),
          )
        },
      )
      for (const [name, value] of headers) sent.setHeader(name, value)
      // Of a GET's body Node does not tell the length, and it would pass for the next request.
      if (body !== null) sent.setHeader('content-length', body.length)
      sent.on('timeout', () => {
        resolve(`no answer in ${timeout} ms`)
        sent.destroy()
      })
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(`failed: ${error.code ?? error.message}`))
      sent.end(body)
    })
  }

  return { send, close: () => agent.destroy() }
}
