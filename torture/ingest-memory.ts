import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { sampleOrder } from '../test/helpers/orders.ts'
import { tokenOf } from '../test/helpers/tills.ts'
import { prepareSite } from './site.ts'
import type { Scenario } from './trial.ts'

/** What one process may take, in MB (docs/decisions.md). */
const limit = 512

/** Batches at a time, each of this many lines and about 34 MiB. */
const batches = 8
const lines = 45_000

/** One round: large gzip batches at the same time, on a server with a default and with a small heap. Linux only. */
export const ingestMemory: Scenario = {
  name: 'ingest memory',
  engines: ['sqlite', 'postgres'],
  rounds: 4,
  share: 1,
  async run(trial) {
    const site = await prepareSite(trial.engine)
    const broken: string[] = []
    const answers = new Map<number, number>()
    let rounds = 0
    let most = 0
    try {
      for (; rounds < trial.rounds && trial.goesOn() && broken.length === 0; rounds++) {
        const small = rounds % 2 === 1 && { NODE_OPTIONS: '--max-old-space-size=256' }
        const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error', ...small })
        const token = await tokenOf(node.base, site.tills)
        const sent = Array.from({ length: batches }, (_, i) => push(node, token, `${rounds}.${i}`))
        for (const { status, retryAfter } of await Promise.all(sent)) {
          answers.set(status, (answers.get(status) ?? 0) + 1)
          if (status !== 200 && !(status === 503 && retryAfter !== null)) broken.push(`answered ${status}`)
        }
        const peak = peakMemory(node)
        most = Math.max(most, peak)
        if (peak > limit) broken.push(`the process took ${peak} MB; the limit is ${limit}`)
        await node.stop()
      }
    } finally {
      await site.remove()
    }
    const came = [...answers].map(([status, times]) => `${times} × ${status}`).join(', ')
    return {
      tried: `${rounds} times ${batches} gzip batches of ${lines} orders at once, every second time with a heap of 256 MB`,
      found: `at most ${most} MB in the process; ${came}, each 503 with Retry-After`,
      broken,
    }
  },
}

async function push(node: Node, token: string, name: string) {
  const order = JSON.stringify(sampleOrder({ store_id: 1, id: 'ID', carts: [], promotions: [] }))
  const text = Array.from({ length: lines }, (_, i) => order.replace('"ID"', `"${name}-${i}"`)).join('\n')
  const response = await fetch(`${node.base}/platform/v1/records`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    },
    body: gzipSync(text, { level: 1 }),
  })
  await response.arrayBuffer()
  return { status: response.status, retryAfter: response.headers.get('retry-after') }
}

/** The largest resident set so far, in MB. */
export function peakMemory({ process: { pid } }: Node): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
