import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rows } from '../bench.ts'
import { orderRequests, tokenFor, withServer } from '../load/client.ts'
import { usual } from '../data.ts'
import { tillgate } from '../process.ts'
import { atMost, median } from '../row.ts'
import { freePort } from '../../test/helpers/ports.ts'

/** From the start of the process to its first page of orders. */
export const start: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.quick ? bench.orders : 1_000_000))
  const port = await freePort()
  // A fixed issuer, so that a token of one process is valid at the next.
  const env = { ...data.env, PORT: String(port), TILLGATE_BASE_URL: `http://127.0.0.1:${port}` }
  const token = await withServer(env, ({ base }) => tokenFor(base, data.reader))
  const [request] = orderRequests(data, 100, { authorization: `Bearer ${token}` })
  const times: number[] = []
  let memory: number | null = null
  for (let run = 0; run < 5; run++) {
    const began = performance.now()
    const server = tillgate(['serve'], env)
    await firstAnswer(`${env.TILLGATE_BASE_URL}${request?.path}`, request?.headers ?? {})
    times.push((performance.now() - began) / 1000)
    memory = server.peak()
    server.child.kill('SIGTERM')
    await once(server.child, 'exit')
  }
  const seconds = median(times)
  yield {
    id: 'start',
    name: `start to the first 200, ${data.orders.toLocaleString('en')} orders`,
    ratio: seconds,
    aim: atMost(1),
    memory_mb: memory,
    figure: `${seconds.toFixed(2)} s, the median of ${times.length}`,
    limit: 'one second; the file may be in the system’s cache',
    measured: { times },
  }
}

async function firstAnswer(url: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(url, { headers })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`the first answer was ${response.status}`)
      return
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(5)
    }
  }
}
