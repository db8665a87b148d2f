import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as it arrived. */
export interface Received {
  /** The path, with its query. */
  path: string
  id: string
  type: string
  data: any
  headers: IncomingMessage['headers']
  body: string
  at: number
}

type Respond = (request: Received, response: ServerResponse) => void

/** A real HTTP server that receives webhooks. `respond` decides what it answers: 204 at first. */
export async function startReceiver() {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let respond: Respond = (_request, response) => void response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { type, data } = JSON.parse(body)
    const id = String(request.headers['webhook-id'])
    const one = { path: request.url ?? '', id, type, data, headers: request.headers, body, at: Date.now() }
    received.push(one)
    respond(one, response)
    for (const check of waiting) check()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer(next: Respond): void {
      respond = next
    },
    answerStatus(status: number, headers: Record<string, string> = {}): void {
      respond = (_request, response) => void response.writeHead(status, headers).end()
    },
    /** Resolves when `found` gives something; rejects after 20 s with what has arrived. */
    async until<T>(found: (received: readonly Received[]) => T | undefined | false): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const check = () => {
        const value = found(received)
        if (value !== undefined && value !== false) resolve(value)
      }
      const timer = setTimeout(
        () => reject(new Error(`not received: ${JSON.stringify(received.map(({ body }) => body))}`)),
        60_000,
      )
      waiting.add(check)
      check()
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(check)
      }
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Verifies by the specification alone, without the library that signs. */
export function isSigned({ id, headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = createHmac('sha256', key)
    .update(`${id}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signed}`)
}
