import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

interface Answer {
  status: number
  text: string
}

/** A request without an answer: the server refused the connection, or accepted it and dropped the request. */
export class Unanswered extends Error {
  readonly refused: boolean

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.refused = cause.code === 'ECONNREFUSED'
  }
}

interface Request {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A client with one connection, which stays open until the server closes it. */
export function persistentClient(base: string): { ask(request: Request): Promise<Answer>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask: ({ method = 'GET', path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const sent = request(new URL(path, base), { method, headers, agent }, response =>
          text(response).then(
            answer => resolve({ status: response.statusCode ?? 0, text: answer }),
            error => reject(new Unanswered(error)),
          ),
        )
        sent.on('error', error => reject(new Unanswered(error)))
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
