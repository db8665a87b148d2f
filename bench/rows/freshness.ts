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
  const starts = await Promise.all([...lines.keys()].map(store_id => newest(reads, store_id, headers)))
  const followers = starts.map(start => follow(reads, start, headers, stop.signal, seenAt))
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

interface Page {
  feed: string
  next: number
  more: boolean
  changes: { id: string }[]
}

/** Where to go on from in the changes of a store. */
interface Position {
  store_id: number
  next: number
  feed: string
}

async function page(base: string, query: string, init: RequestInit): Promise<Page> {
  const response = await fetch(`${base}/integration/v1/changes?kinds=order&count=2000&${query}`, init)
  return ((await response.json()) as { data: Page }).data
}

/** Reads the orders that are there before the measurement begins. */
async function newest(base: string, store_id: number, headers: { authorization: string }): Promise<Position> {
  let read = await page(base, `store_id=${store_id}`, { headers })
  while (read.more)
    read = await page(base, `store_id=${store_id}&after=${read.next}&feed=${read.feed}`, { headers })
  return { store_id, next: read.next, feed: read.feed }
}

/** Follows a store's orders, and records when it sees each. */
async function follow(
  base: string,
  { store_id, next, feed }: Position,
  headers: { authorization: string },
  signal: AbortSignal,
  seenAt: Map<string, number>,
): Promise<void> {
  let after = next
  try {
    for (;;) {
      const query = `store_id=${store_id}&after=${after}&feed=${feed}&wait=30`
      const read = await page(base, query, { headers, signal })
      for (const { id } of read.changes) seenAt.set(id, performance.now())
      after = read.next
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
