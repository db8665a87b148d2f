import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { demoRecords } from '../src/domain/demo/records.ts'
import { type BareOrder, bareInserts } from './bare-sqlite.ts'
import { finished, tillgate } from './process.ts'
import type { BenchOptions, Row } from './run.ts'

const aim = 0.5
/** Orders in one platform request. */
const requestSize = 500
/** Lines in one transaction of `tillgate import`. */
const importBatch = 1000

/** How fast orders come in, by the file and by HTTP, beside bare SQLite writing the same documents. */
export async function* ingestRows({ orders, folder }: BenchOptions): AsyncGenerator<Row> {
  const { file, lines, bare } = await makeRecords(orders, folder)
  yield await importRow(folder, file, bare)
  yield await httpRow(folder, lines, bare)
}

async function makeRecords(orders: number, folder: string) {
  const file = join(folder, 'records.ndjson')
  const out = createWriteStream(file)
  const setup: string[] = []
  const lines: string[] = []
  const bare: BareOrder[] = []
  const end = Math.floor(Date.now() / 1000)
  for (const record of demoRecords({ stores: 10, orders, days: 90, seed: 1, end })) {
    const line = JSON.stringify(record)
    if (!out.write(`${line}\n`)) await once(out, 'drain')
    if (record.kind === 'order') {
      lines.push(line)
      bare.push({ store_id: record.store_id, created_at: record.created_at, id: record.id, doc: line })
    } else setup.push(line)
  }
  out.end()
  await once(out, 'close')
  return { file, lines: [...setup, ...lines], bare }
}

async function importRow(folder: string, file: string, bare: BareOrder[]): Promise<Row> {
  const limit = bareInserts(join(folder, 'bare-import.db'), bare, importBatch)
  const start = performance.now()
  const run = tillgate(['import', file, '--json'], { TILLGATE_DATABASE: join(folder, 'import.db') })
  const counts = JSON.parse(await finished(run)) as { orders: number }
  const rate = counts.orders / ((performance.now() - start) / 1000)
  return row('tillgate import, start of the process included', rate, limit, run.peak())
}

async function httpRow(folder: string, lines: string[], bare: BareOrder[]): Promise<Row> {
  const limit = bareInserts(join(folder, 'bare-http.db'), bare, requestSize)
  const env = { TILLGATE_DATABASE: join(folder, 'http.db'), PORT: '0' }
  const made = await finished(
    tillgate(['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json'], env),
  )
  const server = tillgate(['serve'], env)
  try {
    await once(server.child.stdout as NodeJS.ReadableStream, 'data')
    const base = /http:\S+/.exec(server.stdout())?.[0] ?? ''
    const token = await tokenFor(base, JSON.parse(made))
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
    return row(`POST /platform/v1/records, ${requestSize} orders a request`, rate, limit, server.peak())
  } finally {
    server.child.kill('SIGTERM')
    await once(server.child, 'exit')
  }
}

async function tokenFor(base: string, client: { client_id: string; client_secret: string }): Promise<string> {
  const { client_id, client_secret } = client
  const form = { grant_type: 'client_credentials', client_id, client_secret }
  const response = await fetch(`${base}/auth/v2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return ((await response.json()) as { access_token: string }).access_token
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

const row = (name: string, rate: number, limit: number, memory_mb: number | null): Row => ({
  name,
  figure: `${Math.round(rate).toLocaleString('en')} orders/s`,
  limit: `${Math.round(limit).toLocaleString('en')} orders/s into bare SQLite, same documents and durability`,
  ratio: rate / limit,
  aim,
  memory_mb,
})
