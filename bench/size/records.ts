import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { everything } from '../../src/storage/copy/port.ts'
import { batchesOf } from '../../src/storage/copy/ranges.ts'
import { copyFrom, openStorage } from '../../src/storage/open.ts'
import { columnsOf, storeOf, tables } from '../../src/storage/shared/tables.ts'
import type { Row, Table } from '../../src/storage/shared/table.ts'
import { datetime } from '../load/client.ts'
import { emailOf, merchantOf, type Shape, storeId } from './shape.ts'

/** Stores that are ingested; the others have their rows, with another id, name and merchant. */
const templates = 50
/** Stores whose orders are mixed, as they arrive: neighbouring orders of a store are rows apart. */
const mixed = 1000
const days = 4
const items = 3
const day = 86_400

const streets = ['Harbour', 'Station', 'Church', 'Mill', 'Queen', 'Garden', 'Abbey', 'Market']
const nameOf = (index: number): string => `${streets[index % streets.length]} Street ${index}`
const names = ['stores', 'items', 'orders', 'sales_rollups', 'receipts']
const ofStores = tables.filter(({ name }) => names.includes(name))

/** Rows of all stores, exactly as the ingest stores them, in the order in which they are written. */
export async function* storeRows(shape: Shape, now: number): AsyncGenerator<[Table, Row[]]> {
  const made = await ingested(shape, now)
  for (let first = 0; first < shape.stores; first += mixed) {
    const group = Array.from({ length: Math.min(mixed, shape.stores - first) }, (_, i) => first + i)
    for (const table of ofStores) yield [table, copiesOf(table, made, shape, group)]
  }
}

/** The first row of every store, then the second of every store. */
function copiesOf(table: Table, made: readonly Row[][][], shape: Shape, group: readonly number[]): Row[] {
  const rows: Row[] = []
  const longest = Math.max(...made.map(template => template[ofStores.indexOf(table)]?.length ?? 0))
  for (let i = 0; i < longest; i++) {
    for (const index of group) {
      const row = made[index % templates]?.[ofStores.indexOf(table)]?.[i]
      if (row) rows.push(copyOf(table, row, shape, index))
    }
  }
  return rows
}

function copyOf(table: Table, row: Row, shape: Shape, index: number): Row {
  const template = index % templates
  const id = String(storeId(template))
  return columnsOf(table).map((column, i) => {
    const value = row[i] ?? null
    if (column === table.store) return String(storeId(index))
    if (table.name === 'stores' && column === 'merchant') return emailOf('merchant', merchantOf(shape, index))
    if (column !== 'doc' && column !== 'name') return value
    return (value ?? '').replace(id, String(storeId(index))).replace(nameOf(template), nameOf(index))
  })
}

/**
 * The rows of each template, by table. They are ingested one a day, so that their sequences differ. Order ids are unique
 * within a store: copies keep them, and so the digests of the receipts.
 */
async function ingested(shape: Shape, now: number): Promise<Row[][][]> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-size-'))
  const file = join(folder, 'templates.db')
  try {
    const storage = await openStorage(file)
    for (let index = 0; index < templates; index++) {
      const end = now - (templates - index) * day
      const lines = recordsOf(shape, index, end).map((record, i) => ({
        line: i + 1,
        text: JSON.stringify(record),
      }))
      await createRecordWriter({ storage, clock: { now: () => end } }).write(lines)
    }
    await storage.close()
    return await copyFrom(file, {}, async source => {
      const found = Array.from({ length: templates }, (): Row[][] => ofStores.map(() => []))
      for (const [number, table] of ofStores.entries()) {
        for await (const rows of batchesOf(source, table, everything)) {
          for (const row of rows) found[Number(storeOf(table, row)) - storeId(0)]?.[number]?.push(row)
        }
      }
      return found
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function recordsOf(shape: Shape, index: number, end: number): object[] {
  const store_id = storeId(index)
  return [
    {
      kind: 'store',
      id: store_id,
      name: nameOf(index),
      timezone: 'Europe/Paris',
      merchant: emailOf('merchant', 0),
    },
    ...Array.from({ length: items }, (_, item) => ({
      kind: 'item',
      store_id,
      id: item + 1,
      status: 2,
      name: `Dish ${item + 1}`,
      price: 300,
      updated_at: datetime(end - days * day),
    })),
    ...Array.from({ length: shape.orders }, (_, order) =>
      orderRecord(
        store_id,
        order,
        end - Math.floor(((shape.orders - order) * days * day) / (shape.orders + 1)),
      ),
    ),
  ]
}

function orderRecord(store_id: number, order: number, created_at: number): object {
  const item = 1 + (order % items)
  return {
    kind: 'order',
    id: `order-${order}`,
    order_number: String(order),
    status: 2,
    created_at: datetime(created_at),
    updated_at: datetime(created_at + 60),
    paid_at: datetime(created_at + 60),
    store_id,
    subtotal: 300,
    carts: [{ type: 2, menu_id: item, name: `Dish ${item}`, price: 300, count: 1 }],
    taxes: [],
    payments: [{ type: 1, amount: 300 }],
    promotions: [],
  }
}
