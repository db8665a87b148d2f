import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often a node is asked whether it is ready. */
const checkEvery = 200

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
  let ready: readonly string[] = nodes
  const closing = new AbortController()
  let turn = 0

  async function isReady(node: string): Promise<boolean> {
    const signal = AbortSignal.timeout(1000)
    const answer = await fetch(`${node}/health/ready`, { signal }).catch(() => null)
    await answer?.arrayBuffer().catch(() => {})
    return answer?.status === 200
  }

  async function look(): Promise<void> {
    while (!closing.signal.aborted) {
      const answers = await Promise.all(nodes.map(isReady))
      ready = nodes.filter((_, i) => answers[i])
      await sleep(checkEvery)
    }
  }

  const server = createServer((incoming, outgoing) => {
    const node = ready[turn++ % Math.max(1, ready.length)]
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
  const looking = look()
  return {
    base: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    ready: () => ready,
    failures,
    async close() {
      closing.abort()
      await looking
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
