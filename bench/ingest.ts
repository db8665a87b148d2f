import { tokenFor, withServer } from './client.ts'
import { finished, tillgate } from './process.ts'
import type { Bench, Row } from './run.ts'

const aim = 0.5
/** Orders in one platform request. */
const requestSize = 500
/** Lines in one transaction of `tillgate import`. */
const importBatch = 4000

/** How fast orders come in, by the file and by HTTP, beside the engine barely writing the same documents. */
export async function* ingestRows(bench: Bench): AsyncGenerator<Row> {
  yield await importRow(bench)
  yield await httpRow(bench)
}

async function importRow({ engine, records }: Bench): Promise<Row> {
  const limit = await engine.bareWrites('bare_import', records.bare, importBatch)
  const start = performance.now()
  const env = { TILLGATE_DATABASE: await engine.empty('import') }
  const run = tillgate(['import', records.file, '--json'], env)
  const counts = JSON.parse(await finished(run)) as { orders: number }
  const rate = counts.orders / ((performance.now() - start) / 1000)
  return row('tillgate import, start of the process included', rate, limit, engine.limitName, run.peak())
}

async function httpRow({ engine, records }: Bench): Promise<Row> {
  const limit = await engine.bareWrites('bare_http', records.bare, requestSize)
  const env = { TILLGATE_DATABASE: await engine.empty('http'), PORT: '0' }
  const app = ['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json']
  const client = JSON.parse(await finished(tillgate(app, env)))
  return withServer(env, async (base, server) => {
    const token = await tokenFor(base, client)
    const { lines } = records
    const requests = Array.from({ length: Math.ceil(lines.length / requestSize) }, (_, i) =>
      lines.slice(i * requestSize, (i + 1) * requestSize).join('\n'),
    )
    // The stores must be there before the orders that belong to them.
    await push(base, token, requests.shift() ?? '')
    const start = performance.now()
    let next = 0
    const sender = async () => {
      for (let body = requests[next++]; body !== undefined; body = requests[next++])
        await push(base, token, body)
    }
    // Two at a time: one is stored while the next is on its way.
    await Promise.all([sender(), sender()])
    const rate = (requests.length * requestSize) / ((performance.now() - start) / 1000)
    const name = `POST /platform/v1/records, ${requestSize} orders a request`
    return row(name, rate, limit, engine.limitName, server.peak())
  })
}

async function push(base: string, token: string, body: string): Promise<void> {
  const response = await fetch(`${base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function row(name: string, rate: number, limit: number, limitName: string, memory_mb: number | null): Row {
  const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')} orders/s`
  return {
    ...{ name, aim, memory_mb, ratio: rate / limit },
    figure: perSecond(rate),
    limit: `${perSecond(limit)} ${limitName}, same documents and durability`,
  }
}
