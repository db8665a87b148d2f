import { startNode } from '../test/helpers/nodes.ts'
import { tokenOf } from '../test/helpers/tills.ts'
import { halfOpen } from './half-open.ts'
import { prepareSite } from './site.ts'
import { readNothing } from './slow-readers.ts'
import type { Scenario } from './trial.ts'

const limit = 10

/** One round: requests that never become complete and readers that read nothing, all at once. */
export const slowClients: Scenario = {
  name: 'slow clients',
  engines: ['sqlite', 'postgres'],
  rounds: 3,
  share: 1,
  async run(trial) {
    const site = await prepareSite(trial.engine)
    const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
    const broken: string[] = []
    const connections = 5000
    const readers = 100
    let rounds = 0
    let slowestClose = 0
    let slowestAnswer = 0
    try {
      const bearer = {
        tills: await tokenOf(node.base, site.tills),
        reader: await tokenOf(node.base, site.reader),
      }
      await fill(node.base, bearer.tills)
      for (; rounds < trial.rounds && trial.goesOn(); rounds++) {
        const over = new AbortController()
        const others = async () => {
          while (!over.signal.aborted) {
            const began = performance.now()
            const answer = await node.get('/integration/v1/stores', bearer.reader)
            slowestAnswer = Math.max(slowestAnswer, performance.now() - began)
            if (answer.status !== 200) broken.push(`another client was answered ${answer.status}`)
            await new Promise(resolve => setTimeout(resolve, 100))
          }
        }
        const serving = others()
        const [halves, ...taken] = await Promise.all([
          halfOpen(node.base, connections),
          ...Array.from({ length: readers }, () => readNothing(node.base, largePage, bearer.reader)),
        ])
        over.abort()
        await serving
        slowestClose = Math.max(slowestClose, ...Object.values(halves), ...taken)
      }
      if (slowestClose > limit)
        broken.push(`a connection was closed after ${slowestClose.toFixed(1)} s; the limit is ${limit} s`)
    } finally {
      await node.stop()
      await site.remove()
    }
    return {
      tried: `${rounds} times ${connections} requests that never become complete (silent, half of the headers or body, or byte by byte) and ${readers} readers that read nothing of a large page, at once`,
      found: `all closed within ${slowestClose.toFixed(1)} s; other clients were answered within ${Math.round(slowestAnswer)} ms`,
      broken,
    }
  },
}

const largePage = '/integration/v1/inventory/items?store_id=1&count=100000'

async function fill(base: string, bearer: string): Promise<void> {
  const item = { kind: 'item', store_id: 1, status: 2, name: 'n'.repeat(200), price: 1 }
  const lines = Array.from({ length: 40_000 }, (_, i) =>
    JSON.stringify({ ...item, id: i + 1, updated_at: '2026-11-01 10:00:00' }),
  )
  const response = await fetch(`${base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  if (response.status !== 200) throw new Error(`no items: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}
