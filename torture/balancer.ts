import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Interval and timeout of the readiness checks, in milliseconds. */
const checkInterval = 200
const checkTimeout = 1000

/** Seconds within which an unready node gets no new requests, even when one of its checks timed out. */
export const noticedAfter = Math.ceil((2 * (checkInterval + checkTimeout)) / 1000)

export interface Balancer {
  base: string
  ready(): readonly string[]
  /** The causes of requests without an answer. */
  failures: string[]
  close(): Promise<void>
}

/**
 * A load balancer: gives each request to the next ready node, over keep-alive connections. It never retries, so it sees
 * every request that a node drops.
 */
export async function startBalancer(nodes: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const unready = new Set<string>()
  const ready = (): string[] => nodes.filter(node => !unready.has(node))
  const closing = new AbortController()
  let next = 0

  /** Null when the check times out: a busy node that accepts connections stays in use. */
  async function isReady(node: string): Promise<boolean | null> {
    const signal = AbortSignal.timeout(checkTimeout)
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
      await sleep(checkInterval)
    }
  }

  const server = createServer((incoming, outgoing) => {
    const now = ready()
    const node = now[next++ % Math.max(1, now.length)]
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
