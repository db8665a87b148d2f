import { tokenFor, withServer } from '../load/client.ts'
import type { Bench, Rows } from '../bench.ts'
import { finished, tillgate } from '../process.ts'
import { makeRecords, type Records } from '../records.ts'
import { atLeast, loadText, perSecond, type Row } from '../row.ts'
import { timed } from '../load/timed.ts'

/**
 * Platform requests of many orders, two in flight: one is stored while the next is sent. Of few stores, as an export has
 * them, and in the order of their time, as a queue forwards them. And of one order, as tills send them.
 */
const batches = { id: 'records', orders: 500, at_once: 2, aim: 0.5, what: '500 orders a request' }
const mixed = {
  id: 'records-mixed',
  orders: 500,
  at_once: 2,
  aim: 0.5,
  what: '500 orders of many stores a request',
}
const singles = { id: 'records-single', orders: 1, at_once: 8, aim: 0.1, what: 'one order a request' }
/** Requests at most: each of a single order waits for the disk. */
const mostRequests = 5000

/** Orders of the 1000 stores: a large set would take as long as all other rows. */
const mostMixed = 20_000

/** Lines in one transaction of `tillgate import`. */
const importBatch = 4000

/** Orders a second by import and by HTTP, compared with the bare engine writing the same documents. */
export const ingest: Rows = async function* (bench) {
  const records = await makeRecords(bench.orders, bench.folder)
  yield await importRow(bench, records)
  yield await httpRow(bench, records, batches)
  yield await httpRow(bench, byTime(await makeRecords(mostMixed, bench.folder, 1000)), mixed)
  yield await httpRow(bench, records, singles)
}

async function importRow({ engine }: Bench, records: Records): Promise<Row> {
  const limit = await engine.bareWrites('bare_import', records.bare, importBatch)
  const start = performance.now()
  const env = { TILLGATE_DATABASE: await engine.empty('import') }
  const run = tillgate(['import', records.file, '--json'], env)
  const counts = JSON.parse(await finished(run)) as { orders: number }
  const rate = counts.orders / ((performance.now() - start) / 1000)
  const name = 'tillgate import, start of the process included'
  return row('import', name, rate, limit, engine.limitName, run.peak())
}

async function httpRow(
  { engine }: Bench,
  { lines, bare }: Records,
  { id, orders, at_once, aim, what }: typeof batches,
): Promise<Row> {
  const most = orders * mostRequests
  const name = id.replace('-', '_')
  const limit = await engine.bareWrites(`bare_${name}`, bare.slice(0, most), orders)
  const env = { TILLGATE_DATABASE: await engine.empty(name), PORT: '0' }
  const app = ['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json']
  const client = JSON.parse(await finished(tillgate(app, env)))
  return withServer(env, async ({ base, pids, peak }) => {
    const token = await tokenFor(base, client)
    const { true: ofOrders = [], false: others = [] } = Object.groupBy(lines, line =>
      String(line.startsWith('{"kind":"order"')),
    )
    // Stores must exist before their orders.
    await push(base, token, others.join('\n'))
    const count = Math.min(mostRequests, Math.ceil(ofOrders.length / orders))
    const requests = Array.from({ length: count }, (_, i) =>
      ofOrders.slice(i * orders, (i + 1) * orders).join('\n'),
    )
    const load = await timed(requests, { at_once, pids }, async body => {
      await push(base, token, body)
      return body.length
    })
    const stored = row(
      id,
      `POST /platform/v1/records, ${what}`,
      load.rate * orders,
      limit,
      engine.limitName,
      peak(),
    )
    return {
      ...stored,
      aim: atLeast(aim),
      figure: `${stored.figure}; ${loadText(load)}`,
      measured: { load, limit },
    }
  })
}

/** The same with the orders of all stores by their time. */
function byTime({ lines, bare, file }: Records): Records {
  const timeOf = (line: string) => /"created_at":"([^"]*)"/.exec(line)?.[1] ?? ''
  return {
    file,
    lines: lines.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))),
    bare: bare.toSorted((a, b) => a.created_at.localeCompare(b.created_at)),
  }
}

/** Sends records as the platform does. */
export async function push(base: string, token: string, body: string): Promise<void> {
  const response = await fetch(`${base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function row(
  id: string,
  name: string,
  rate: number,
  limit: number,
  limitName: string,
  memory_mb: number | null,
): Row {
  return {
    id,
    name,
    memory_mb,
    ratio: rate / limit,
    aim: atLeast(0.5),
    figure: perSecond(rate, 'orders'),
    limit: `${perSecond(limit, 'orders')} ${limitName}, same documents and durability`,
    measured: { rate, limit },
  }
}
