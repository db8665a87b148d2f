import type { CopyTarget } from '../../src/storage/copy/port.ts'
import { openCopy, openStorage } from '../../src/storage/open.ts'
import { columnsOf, tables } from '../../src/storage/shared/tables.ts'
import type { Row, Table } from '../../src/storage/shared/table.ts'
import { fill, usual } from '../data.ts'
import { otherRows } from './people.ts'
import { storeRows } from './records.ts'
import type { Named, Shape } from './shape.ts'

/** Orders of the benchmark's own stores, which every set has: the same requests can be sent to a small and a large set. */
export const benchOrders = 100_000
const rowsOfWrite = 5000

/** Fills an empty database: stores with short orders, rows about people and apps, and the benchmark's own stores. */
export async function make(database: string, shape: Shape): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const target = await openCopy(database)
  try {
    await timed('stores', async () => {
      for await (const [table, rows] of storeRows(shape, now)) await writeAll(target, table, rows)
    })
    for (const [name, rows] of otherRows(shape, now)) {
      const table = tables.find(table => table.name === name) as Table
      await timed(name, () => writeAll(target, table, rowsOf(table, rows)))
    }
    await timed('statistics', () => target.finish())
  } finally {
    await target.close()
  }
  // A copy is paused.
  const storage = await openStorage(database)
  await storage.webhooks.resume()
  await storage.close()
  await timed('stores of the benchmark', () =>
    fill({ TILLGATE_DATABASE: database, PORT: '0' }, usual(benchOrders)),
  )
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function writeAll(target: CopyTarget, table: Table, rows: Iterable<Row>): Promise<void> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < rowsOfWrite) continue
    await target.write(table, batch, [])
    batch = []
  }
  if (batch.length > 0) await target.write(table, batch, [])
}

function* rowsOf(table: Table, rows: Iterable<Named>): Generator<Row> {
  const columns = columnsOf(table)
  for (const row of rows) yield columns.map(column => textOf(row[column]))
}

/** As a copy between the engines carries it. */
function textOf(value: Named[string] | undefined): string | null {
  if (value === undefined) throw new Error('a column is missing')
  if (value === null) return null
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
