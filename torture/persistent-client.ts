import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Asked {
  status: number
  text: string
}

/** Why a request had no answer: nobody took the connection, or somebody did and dropped it. */
export class Unanswered extends Error {
  readonly refused: boolean

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.refused = cause.code === 'ECONNREFUSED'
  }
}

interface Question {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A client with one connection, which it keeps for as long as the server does. */
export function persistentClient(base: string): { ask(question: Question): Promise<Asked>; close(): void } {
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
