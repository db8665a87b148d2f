import { setTimeout as sleep } from 'node:timers/promises'
import { demoRecords } from '../../src/demo/records.ts'
import type { Rows } from '../bench.ts'
import { usual } from '../data.ts'
import { tokenFor, withReader, withServer } from '../load/client.ts'
import { freePort } from '../../test/helpers/ports.ts'
import { finished, tillgate } from '../process.ts'
import { percentiles, type Row } from '../row.ts'
import { push } from './ingest.ts'

const ordersPerSecond = 1000
const requestSize = 20
const stores = 10
/** Requests in flight. */
const tills = 4

/** From the answer to the till's request to the answer of a request that waits for it, at the same process and at another. */
export const freshness: Rows = async function* (bench) {
  const data = await bench.data({ ...usual(bench.orders), stores })
  const app = ['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json']
  const tills = JSON.parse(await finished(tillgate(app, data.env)))
  // One issuer, so that a token of one process is valid at the other.
  const [port, otherPort] = [await freePort(), await freePort()]
  const env = { PORT: String(port), TILLGATE_BASE_URL: `http://127.0.0.1:${port}` }
  const seconds = bench.quick ? 8 : 20
  yield* await withReader(
    data,
    async ({ base, peak }, headers) => {
      const writer = await tokenFor(base, tills)
      const row = async (id: string, place: string, at: string): Promise<Row> => {
        const { p50, p99, most, count } = await measure({
          writes: base,
          reads: at,
          writer,
          headers,
          seconds,
          id,
        })
        return {
          id,
          name: `freshness at ${place}, ${ordersPerSecond} orders/s`,
          ratio: p99 / 1000,
          aim: null,
          memory_mb: peak(),
          figure: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(0)} ms, of ${count.toLocaleString('en')} orders`,
          limit:
            'one second; from the answer to the push to the answer of the waiting request, 0 when that comes first',
        }
      }
      const same = await row('freshness', 'the same process', base)
      const other = await withServer({ ...data.env, ...env, PORT: String(otherPort) }, () =>
        row('freshness-other', 'another process', `http://127.0.0.1:${otherPort}`),
      )
      return [same, other]
    },
    env,
  )
}

interface Measurement {
  /** Where the tills write, and where the followers wait. */
  writes: string
  reads: string
  writer: string
  headers: { authorization: string }
  seconds: number
  id: string
}

async function measure({ writes, reads, writer, headers, seconds, id }: Measurement) {
  const lines = new Map<number, { id: string; line: string }[]>()
  const end = Math.floor(Date.now() / 1000)
  for (const record of demoRecords({ stores, orders: ordersPerSecond * seconds, days: 3, seed: 3, end })) {
    if (record.kind !== 'order') continue
    const order = { ...record, id: `${id}-${record.id}` }
    const ofStore = lines.get(record.store_id) ?? []
    lines.set(record.store_id, ofStore)
    ofStore.push({ id: order.id, line: JSON.stringify(order) })
  }
  const pushedAt = new Map<string, number>()
  const seenAt = new Map<string, number>()
  const stop = new AbortController()
  const followers = [...lines.keys()].map(store_id => follow(reads, store_id, headers, stop.signal, seenAt))
  await sleep(1000)
  const batches = [...lines.values()]
    .flatMap(all =>
      Array.from({ length: Math.ceil(all.length / requestSize) }, (_, i) =>
        all.slice(i * requestSize, (i + 1) * requestSize),
      ),
    )
    .sort(() => Math.random() - 0.5)
  const began = performance.now()
  const due = batches.map((batch, i) => ({ batch, at: began + ((i * requestSize) / ordersPerSecond) * 1000 }))
  async function write(): Promise<void> {
    for (let next = due.shift(); next; next = due.shift()) {
      await sleep(Math.max(0, next.at - performance.now()))
      await push(writes, writer, next.batch.map(({ line }) => line).join('\n'))
      for (const order of next.batch) pushedAt.set(order.id, performance.now())
    }
  }
  await Promise.all(Array.from({ length: tills }, write))
  await sleep(1500)
  stop.abort()
  await Promise.all(followers)
  const missing = [...pushedAt.keys()].filter(order => !seenAt.has(order)).length
  if (missing > 0) throw new Error(`${missing} orders were not seen`)
  const delays = [...pushedAt].map(([order, at]) => Math.max(0, (seenAt.get(order) as number) - at))
  return { ...percentiles(delays), count: delays.length }
}

/** Follows a store's orders from its newest seq on, and records when it sees each. */
async function follow(
  base: string,
  store_id: number,
  headers: { authorization: string },
  signal: AbortSignal,
  seenAt: Map<string, number>,
): Promise<void> {
  interface Page {
    data: { feed: string; next: number; more: boolean; changes: { id: string }[] }
  }
  let position = ''
  try {
    for (;;) {
      const path = `/integration/v1/changes?store_id=${store_id}&kinds=order&count=2000&wait=30${position}`
      const response = await fetch(base + path, { headers, signal })
      const { data } = (await response.json()) as Page
      for (const { id } of data.changes) seenAt.set(id, performance.now())
      position = `&after=${data.next}&feed=${data.feed}`
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
