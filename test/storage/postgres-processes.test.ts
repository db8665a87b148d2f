import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { RecordChanges, Storage } from '../../src/storage/port/index.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { item, linked, order, store } from './suite/fixtures.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

const nothing: RecordChanges = { stores: [], items: [], orders: [], rollups: [] }

/** What a process of `processes/` printed, line by line. */
async function run(script: string, ...values: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'processes', script),
    ...values,
  ])
  return stdout.split('\n').slice(0, -1)
}

test('several nodes may migrate the same empty database at once', async () => {
  const url = await freshDatabase()
  const results = await Promise.all([1, 2, 3, 4].map(() => run('migrate.ts', url)))
  const numbers = results.map(([line]) => JSON.parse(line as string) as { from: number; to: number })
  assert.equal(new Set(numbers.map(({ to }) => to)).size, 1)
  const applied = await administer(url, 'select number, name, applied_at from schema_migrations')
  assert.equal(applied.length, numbers[0]?.to)
})

test('a schema newer than the program is refused, and one of another program', async () => {
  const url = await freshDatabase()
  await migrate(url)
  await administer(url, `insert into schema_migrations (number, name, applied_at) values (9999, 'later', 1)`)
  await assert.rejects(openStorage(url), /has schema 9999; this version supports up to \d+/)
  const other = await freshDatabase()
  await administer(other, 'create table schema_migrations (version text)')
  await assert.rejects(openStorage(other), /belongs to another program/)
})

test('migrate --citus says clearly that a plain PostgreSQL has no Citus', async () => {
  const url = await freshDatabase()
  await assert.rejects(migrate(url, { citus: true }), /has no Citus/)
})

test('two nodes count on one throttle: every hit is kept, each seen once', async () => {
  const url = await freshDatabase()
  const results = await Promise.all([1, 2].map(() => run('hit.ts', url, '100')))
  const counts = results.flatMap(lines => lines.map(Number)).sort((a, b) => a - b)
  assert.deepEqual(
    counts,
    Array.from({ length: 200 }, (_, i) => i + 1),
  )
})

test('facts and page are of one moment, though another node commits between', async () => {
  const url = await freshDatabase()
  const storage = await openStorage(url)
  const claim = await linked(storage, [1n])
  const state = { writing: true }
  const written = run('orders.ts', url, '200').finally(() => {
    state.writing = false
  })
  const read = () =>
    storage.orders.page({
      claim,
      query: { store_id: 1n, field: 'created_at', from: 0, to: 9 },
      offset: 0,
      limit: 2000,
    })
  while (state.writing) {
    // Every batch adds one order and raises the version by one, so the two always agree.
    const { facts, chunk } = await read()
    assert.equal(chunk?.rows, facts.store?.orders_version)
  }
  await written
  assert.equal((await read()).chunk?.rows, 200)
  await storage.close()
})

/** Reads a counter in an item of each store and writes it back, one higher. `mayBeNew`: stores that it may create. */
const countUp = (storage: Storage, store_ids: readonly bigint[], mayBeNew = store_ids) =>
  storage.records.write(
    {
      store_ids,
      new_store_ids: mayBeNew,
      items: store_ids.map(store_id => ({ store_id, id: 1n })),
      orders: [],
    },
    ({ stores, items }) => ({
      ...nothing,
      stores: store_ids.filter(id => !stores.some(row => row.id === id)).map(id => store(id)),
      items: store_ids.map(id => {
        const before = items.find(({ store_id }) => store_id === id)?.updated_at ?? 0
        return item(id, 1n, { updated_at: before + 1 })
      }),
    }),
  )

async function counters(storage: Storage, store_ids: readonly bigint[]): Promise<Record<string, number>> {
  let found: Record<string, number> = {}
  await storage.records.write(
    { store_ids, items: store_ids.map(store_id => ({ store_id, id: 1n })), orders: [] },
    ({ items }) => {
      found = Object.fromEntries(items.map(({ store_id, updated_at }) => [String(store_id), updated_at]))
      return nothing
    },
  )
  return found
}

test('parallel batches of several nodes on new stores, in any order: none lost, none deadlocked', async () => {
  const url = await freshDatabase()
  const nodes = await Promise.all(
    [1, 2, 3].map(() => openStorage(url, { database_pool: 6, database_connect_timeout: 30_000 })),
  )
  const orders = [
    [1n, 2n, 3n],
    [3n, 2n, 1n],
    [2n, 1n],
    [3n, 1n],
  ]
  // Store 2 exists, and a third of the batches rely on that; they may create the others.
  await countUp(nodes[0] as Storage, [2n])
  await Promise.all(
    nodes.flatMap(node =>
      Array.from({ length: 20 }, (_, i) => {
        const ids = orders[i % 4] as bigint[]
        return countUp(node, ids, i % 3 === 0 ? ids.filter(id => id !== 2n) : ids)
      }),
    ),
  )
  const [deadlocks] = await administer(
    url,
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  assert.equal(deadlocks?.['deadlocks'], '0')
  // 60 batches: all with store 1, three quarters with each of the others, and the first one.
  assert.deepEqual(await counters(nodes[0] as Storage, [1n, 2n, 3n]), { '1': 60, '2': 46, '3': 45 })
  for (const node of nodes) await node.close()
})

test('parallel batches that add the same orders: one adds each, sales are counted once', async () => {
  const url = await freshDatabase()
  const nodes = await Promise.all(
    [1, 2].map(() => openStorage(url, { database_pool: 4, database_connect_timeout: 30_000 })),
  )
  const rows = ['a', 'b', 'c'].map(id => order(7n, id, { sold: '1:1:1:0' }))
  const added = await Promise.all(
    nodes.flatMap(node =>
      Array.from({ length: 8 }, () =>
        node.records.write(
          { store_ids: [7n], new_store_ids: [7n], items: [], orders: rows },
          ({ stores, orders }) => {
            const fresh = rows.filter(row => !orders.some(({ id }) => id === row.id))
            return {
              ...nothing,
              stores: stores.length === 0 ? [store(7n)] : [],
              orders: fresh.map(row => ({ row, was_created_at: null })),
              rollups: fresh.map(() => ({
                store_id: 7n,
                width: 86_400,
                bucket: 0,
                item_id: 1n,
                lines: 1n,
                units: 1n,
                nanos: 0n,
              })),
            }
          },
        ),
      ),
    ),
  )
  assert.equal(
    added.reduce((sum, { changes }) => sum + changes.orders.length, 0),
    3,
  )
  const [rollup] = await administer(url, 'select lines, units from sales_rollups')
  assert.deepEqual({ ...rollup }, { lines: '3', units: '3' })
  for (const node of nodes) await node.close()
})
