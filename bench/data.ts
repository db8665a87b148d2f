import { once } from 'node:events'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Writable } from 'node:stream'
import { demoRecords } from '../src/demo/records.ts'
import { parseDatetime } from '../src/lib/datetime.ts'
import type { Engine } from './engine.ts'
import { finished, tillgate } from './process.ts'

export interface DataOptions {
  stores: number
  orders: number
  days: number
}

export interface Client {
  client_id: string
  client_secret: string
}

/** A database with demo orders, and an app that may read all of its stores. */
export interface Data extends DataOptions {
  env: { TILLGATE_DATABASE: string; PORT: string }
  reader: Client
  store_ids: number[]
  /** The last second of the orders. */
  end: number
  /** Cart lines of all orders. */
  lines: number
  /** Creation times of the orders, ascending; only for a database with one store. */
  times: number[]
}

/** Orders a day of a busy store: a window of two days holds more than the largest page. */
const days = 8
const ordersOfStore = 10_000

/** The default data: the number of stores grows with the number of orders. */
export const usual = (orders: number): DataOptions => ({
  stores: Math.max(1, Math.round(orders / ordersOfStore)),
  orders,
  days,
})

/** Databases that take a minute or more to write are kept between runs. */
const worthKeeping = 500_000
const keptIn = fileURLToPath(new URL('./.data/', import.meta.url))

export async function makeData(engine: Engine, options: DataOptions): Promise<Data> {
  const name = `data_${options.stores}_${options.orders}_${options.days}`
  if (engine.name === 'postgres' || options.orders < worthKeeping) {
    const env = { TILLGATE_DATABASE: await engine.empty(name), PORT: '0' }
    const data = await fill(env, options)
    await engine.settle(env.TILLGATE_DATABASE)
    return data
  }
  mkdirSync(keptIn, { recursive: true })
  const [file, facts] = [join(keptIn, `${name}.db`), join(keptIn, `${name}.json`)]
  const env = { TILLGATE_DATABASE: file, PORT: '0' }
  if (existsSync(facts)) {
    await readThrough(file)
    return { ...JSON.parse(readFileSync(facts, 'utf8')), env }
  }
  console.log(
    `writing ${options.orders.toLocaleString('en')} orders; they are kept in bench/.data for the next run`,
  )
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  const data = await fill(env, options)
  writeFileSync(`${facts}.partial`, JSON.stringify({ ...data, times: [] }))
  renameSync(`${facts}.partial`, facts)
  return data
}

/** Warms the page cache, as if the file had just been written. */
async function readThrough(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 }));
}

export async function fill(env: Data['env'], options: DataOptions): Promise<Data> {
  const end = Math.floor(Date.now() / 1000)
  const importing = tillgate(['import', '-', '--json'], env, 'pipe')
  // Both at once: an import that fails early stops reading records.
  const [{ lines, times }] = await Promise.all([
    writeRecords(importing.child.stdin as Writable, options, end),
    finished(importing),
  ])
  const created = await finished(tillgate(['app', 'create', '--name', 'Reader', '--json'], env))
  const reader = JSON.parse(created) as Client
  const store_ids = Array.from({ length: options.stores }, (_, i) => 1001 + i)
  const authorize = ['app', 'authorize', reader.client_id, '--json', '--store', ...store_ids.map(String)]
  await finished(tillgate(authorize, env))
  return { ...options, env, reader, store_ids, end, lines, times }
}

/** The demo's records, plus enough items to fill a page of 100. */
function* records(options: DataOptions, end: number) {
  yield* demoRecords({ ...options, seed: 1, end })
  for (let store = 0; store < options.stores; store++) {
    for (let item = 0; item < 200; item++) {
      const names = { name: `Side dish ${item}`, category_name: 'Sides' }
      const ids = { store_id: 1001 + store, id: 9_000_000 + item }
      yield {
        kind: 'item',
        ...ids,
        ...names,
        status: 2,
        price: 450,
        updated_at: '2026-01-01 00:00:00',
      } as const
    }
  }
}

async function writeRecords(out: Writable, options: DataOptions, end: number) {
  // The import's exit code reports it.
  out.on('error', () => {})
  const times: number[] = []
  let lines = 0
  let text = ''
  for (const record of records(options, end)) {
    text += `${JSON.stringify(record)}\n`
    if (record.kind === 'order') {
      lines += record.carts?.length ?? 0
      if (options.stores === 1) times.push(parseDatetime(record.created_at) ?? 0)
    }
    if (text.length < 1_000_000) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text)
  await once(out, 'finish')
  return { lines, times: times.toSorted((a, b) => a - b) }
}
