import { tokenFor, withServer } from '../load/client.ts'
import type { Bench, Rows } from '../bench.ts'
import { finished, tillgate } from '../process.ts'
import { makeRecords, type Records } from '../records.ts'
import { atLeast, loadText, perSecond, type Row } from '../row.ts'
import { timed } from '../load/timed.ts'

/** Orders in one platform request. */
const requestSize = 500
/** Lines in one transaction of `tillgate import`. */
const importBatch = 4000

/** Orders a second by import and by HTTP, compared with the bare engine writing the same documents. */
export const ingest: Rows = async function* (bench) {
  const records = await makeRecords(bench.orders, bench.folder)
  yield await importRow(bench, records)
  yield await httpRow(bench, records)
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

async function httpRow({ engine }: Bench, records: Records): Promise<Row> {
  const limit = await engine.bareWrites('bare_http', records.bare, requestSize)
  const env = { TILLGATE_DATABASE: await engine.empty('http'), PORT: '0' }
  const app = ['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json']
  const client = JSON.parse(await finished(tillgate(app, env)))
  return withServer(env, async ({ base, pids, peak }) => {
    const token = await tokenFor(base, client)
    const { lines } = records
    const requests = Array.from({ length: Math.ceil(lines.length / requestSize) }, (_, i) =>
      lines.slice(i * requestSize, (i + 1) * requestSize).join('\n'),
    )
    // Stores must exist before their orders.
    await push(base, token, requests.shift() ?? '')
    // Two in flight: one is stored while the next is sent.
    const load = await timed(requests, { at_once: 2, pids }, async body => {
      await push(base, token, body)
      return body.length
    })
    const name = `POST /platform/v1/records, ${requestSize} orders a request`
    const stored = row('records', name, load.rate * requestSize, limit, engine.limitName, peak())
    return { ...stored, figure: `${stored.figure}; ${loadText(load)}`, measured: { load, limit } }
  })
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
