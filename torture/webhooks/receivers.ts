import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'

/** When an endpoint got a webhook about a store, and the newest seq in it. */
export interface Arrival {
  at: number
  seq: number
}

/** What an endpoint of the scenario does with its calls. */
export type Behaviour = 'live' | 'refusing' | 'hanging' | 'failing'

/** The receivers of all endpoints; the path names the endpoint. */
export async function startReceivers() {
  const arrivals = new Map<string, Map<number, Arrival[]>>()
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (url.startsWith('/hanging')) return
    if (url.startsWith('/failing')) return void response.writeHead(500).end()
    let body = ''
    request.setEncoding('utf8').on('data', text => {
      body += text
    })
    request.on('end', () => {
      response.writeHead(204).end()
      const { store_id, seq } = JSON.parse(body).data as { store_id: number; seq: number }
      const ofEndpoint = arrivals.get(url) ?? new Map<number, Arrival[]>()
      arrivals.set(url, ofEndpoint)
      const ofStore = ofEndpoint.get(store_id) ?? []
      ofEndpoint.set(store_id, ofStore)
      ofStore.push({ at: performance.now(), seq })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // A port that nobody listens on.
  const closed = createTcp().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const refused = (closed.address() as AddressInfo).port
  closed.close()

  const pathOf = (behaviour: Behaviour, n: number): string => `/${behaviour}/${n}`
  return {
    urlOf: (behaviour: Behaviour, n: number): string =>
      `http://127.0.0.1:${behaviour === 'refusing' ? refused : port}${pathOf(behaviour, n)}`,
    /** Of the live endpoint with this number, about one store, in the order of their arrival. */
    arrivalsOf: (n: number, store_id: number): readonly Arrival[] =>
      arrivals.get(pathOf('live', n))?.get(store_id) ?? [],
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receivers = Awaited<ReturnType<typeof startReceivers>>
