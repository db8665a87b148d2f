import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccess } from '../../src/storage/sqlite/apps/access.ts'
import { type Database, openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { createChanges } from '../../src/storage/sqlite/changes/changes.ts'
import { createItems } from '../../src/storage/sqlite/lists/items.ts'
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts'
import { createOrders } from '../../src/storage/sqlite/lists/orders.ts'
import { createRecords } from '../../src/storage/sqlite/records/records.ts'
import { createSales } from '../../src/storage/sqlite/lists/sales.ts'
import { createStores } from '../../src/storage/sqlite/lists/stores.ts'

const db = await openDatabase(':memory:')
await migrate(db, 0)
const access = createAccess(db)

/** How SQLite would run each statement that `create` prepares. */
function plansOf(create: (db: Database) => unknown): { sql: string; steps: string[] }[] {
  const statements: string[] = []
  const recording: Database = {
    ...db,
    prepare(sql, integers) {
      statements.push(sql)
      return db.prepare(sql, integers)
    },
  }
  create(recording)
  return statements.map(sql => ({
    sql,
    steps: db.connection
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  }))
}

const creators = {
  access: createAccess,
  stores: (recording: Database) => createStores(recording, access),
  orders: (recording: Database) => createOrders(recording, access),
  items: (recording: Database) => createItems(recording, access),
  records: (recording: Database) =>
    createRecords(
      recording,
      () => {},
      () => {},
    ),
  changes: (recording: Database) => createChanges(recording, access, () => {}),
}

for (const [name, create] of Object.entries(creators)) {
  test(`${name}: every statement finds its rows by an index, in order, without sorting`, () => {
    const plans = plansOf(create)
    assert.notEqual(plans.length, 0)
    for (const { sql, steps } of plans) {
      const bad = steps.filter(step =>
        /TEMP B-TREE|^SCAN (?!CONSTANT ROW|\(subquery|(known|json_each|pragma_data_version) VIRTUAL TABLE)/.test(
          step,
        ),
      )
      assert.deepEqual(bad, [], sql)
      // SQLite re-plans at each run a statement whose LIMIT or OFFSET is a bare parameter.
      assert.doesNotMatch(sql, /(limit|offset) \?\d*(?![\d]| \+ 0)/)
    }
  })
}

test('sales: sums are searched by index; only the grouping by item sorts', () => {
  for (const { sql, steps } of plansOf(recording => createSales(recording, access))) {
    const bad = steps.filter(step => /^SCAN (?!\(subquery)|TEMP B-TREE FOR (?!GROUP BY)/.test(step))
    assert.deepEqual(bad, [], sql)
  }
})

test('a page of orders by created_at is a range of the clustered table; its offset is found in a covering index', () => {
  const steps = plansOf(creators.orders).flatMap(plan => plan.steps)
  const pages = steps.filter(step => step.startsWith('SEARCH orders USING PRIMARY KEY'))
  const skips = steps.filter(step => step.includes('USING COVERING INDEX orders_by_created'))
  const rangesOf = (found: string[]) =>
    found.map(step => /\((store_id=\? AND .*)\)$/.exec(step)?.[1]).toSorted()
  const fromTime = 'store_id=? AND created_at>?'
  const fromKey = 'store_id=? AND (created_at,id)>(?,?)'
  const starts = [fromTime, fromKey, fromKey] // from a time on, from an order on, behind an order
  const toTime = starts.map(start => `${start} AND created_at<?`)
  const toKey = starts.map(start => `${start} AND (created_at,id)<(?,?)`)
  assert.deepEqual(rangesOf(pages), [...toTime, ...toKey].toSorted())
  // The last: the ids of the rest of a page.
  assert.deepEqual(rangesOf(skips), [...toTime, `${fromKey} AND created_at<?`].toSorted())
})
