import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often a node is asked whether it is ready, and how long it may take to say so, in milliseconds. */
const checkEvery = 200
const patience = 1000

/** Within so many seconds a node that says it is not ready gets no new requests, though it was too busy to say so once. */
export const noticedAfter = Math.ceil((2 * (checkEvery + patience)) / 1000)

export interface Balancer {
  base: string
  ready(): readonly string[]
  /** Requests for which no answer came, and why. */
  failures: string[]
  close(): Promise<void>
}

/**
 * What stands before several nodes: gives each request to the next node that says it is ready, over connections that
 * stay open. Nothing is ever tried twice, so whatever a node drops is seen.
 */
export async function startBalancer(nodes: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const unready = new Set<string>()
  const ready = (): string[] => nodes.filter(node => !unready.has(node))
  const closing = new AbortController()
  let turn = 0

  /** Null when it is too busy to say: as long as it takes connections, that is no reason to leave it alone. */
  async function isReady(node: string): Promise<boolean | null> {
    const signal = AbortSignal.timeout(patience)
    try {
      const answer = await fetch(`${node}/health/ready`, { signal })
      await answer.arrayBuffer()
      return answer.status === 200
    } catch {
      return signal.aborted ? null : false
    }
  }

  async function watch(node: string): Promise<void> {
    while (!closing.signal.aborted) {
      const says = await isReady(node)
      if (says === true) unready.delete(node)
      if (says === false) unready.add(node)
      await sleep(checkEvery)
    }
  }

  const server = createServer((incoming, outgoing) => {
    const now = ready()
    const node = now[turn++ % Math.max(1, now.length)]
    if (node === undefined) {
      failures.push('no node was ready')
      return outgoing.writeHead(502).end()
    }
    const { method = 'GET', headers, url = '/' } = incoming
    const passed = request(new URL(url, node), { method, headers, agent }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', error => {
      failures.push(`${method} ${url.split('?')[0]}: ${error.message}`)
      outgoing.destroy()
    })
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const watching = Promise.all(nodes.map(watch))
  return {
    base: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    ready,
    failures,
    async close() {
      closing.abort()
      await watching
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
