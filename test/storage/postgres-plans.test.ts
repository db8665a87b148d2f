import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import postgres from 'postgres'
import { openDatabase } from '../../src/storage/postgres/connection/database.ts'
import { readSettings } from '../../src/storage/postgres/connection/settings.ts'
import { changesSql } from '../../src/storage/postgres/changes/changes.ts'
import { type ListShape, byIdsSql, moreSql, pageSql } from '../../src/storage/postgres/lists/list-sql.ts'
import { salesSql } from '../../src/storage/postgres/lists/sales.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { openStorage } from '../helpers/storage.ts'
import { keysOf, order, store, write } from './suite/fixtures.ts'

const lists: { shape: ListShape; index: string; from: string[] }[] = [
  ...(['created_at', 'updated_at', 'paid_at'] as const).map(field => ({
    shape: {
      table: 'orders',
      order: [field, 'id'],
      version: 'orders_version',
      by_day: field === 'created_at',
    } as const,
    index: { created_at: 'orders_pkey', updated_at: 'orders_by_updated', paid_at: 'orders_by_paid' }[field],
    from: ['5000', "''"],
  })),
  {
    shape: { table: 'items', order: ['id'], version: 'items_version' },
    index: 'items_pkey',
    from: ['5000'],
  },
  {
    shape: { table: 'items', order: ['updated_at', 'id'], version: 'items_version' },
    index: 'items_by_updated',
    from: ['5000', '0'],
  },
]

/** Stores of very different size, in the order in which a platform would send them: all mixed. */
const fill = `
  insert into stores (id, name, timezone, doc) select id, '', '', '{}' from generate_series(1, 20) as id;
  insert into orders (store_id, created_at, id, updated_at, paid_at, seq, sold, doc)
    select case when n % 2 = 0 then 1 else 1 + n % 20 end, n, 'o' || n, n + 100, n + 50, n, '', repeat('x', 1000)
    from generate_series(1, 20000) as n;
  insert into items (store_id, id, updated_at, seq, doc)
    select 1 + n % 20, n, n, 20000 + n, repeat('x', 300) from generate_series(1, 20000) as n;
  insert into sales_rollups select 1 + n % 20, 86400, n / 40 * 86400, n % 40, 1, 1, 0
    from generate_series(1, 20000) as n;`

suite('plans', async () => {
  const url = await freshDatabase()
  await (await openStorage(url)).close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  after(() => sql.end())
  await sql.unsafe(fill)

  /** As `claimValues` gives them. */
  const claim = ["'a'", "'x'", "'j'", "'f'", '0']

  async function plan(statement: string, values: string[], mode: string): Promise<string> {
    await sql.unsafe(`deallocate all; set plan_cache_mode = ${mode}; prepare asked as ${statement}`)
    const rows = await sql.unsafe(`explain execute asked (${values.join(', ')})`)
    return rows.map(row => row['QUERY PLAN']).join('\n')
  }

  // Before statistics there are only guesses; with them, a plan for these values or one for all.
  for (const [analyzed, mode] of [
    [false, 'force_generic_plan'],
    [true, 'force_generic_plan'],
    [true, 'force_custom_plan'],
  ] as const) {
    const when = `${analyzed ? 'with' : 'without'} statistics, ${mode}`
    for (const { shape, index, from } of lists) {
      const name = `${shape.table} by ${shape.order.join(', ')}`
      test(`${name}: a page is a range of its index, nothing is sorted (${when})`, async () => {
        if (analyzed) await sql.unsafe('analyze')
        const page = await plan(pageSql(shape), [...claim, '1', 'null', '100', '100', '15000', ...from], mode)
        const more = await plan(moreSql(shape), ['1', '100', '15000', ...from], mode)
        assert.match(page, new RegExp(`Index Only Scan using ${index} on ${shape.table}\\b`), page)
        assert.match(page, new RegExp(`Index Scan using ${index} on ${shape.table}\\b`), page)
        assert.match(more, new RegExp(`Index Scan using ${index} on ${shape.table}\\b`), more)
        for (const text of [page, more])
          assert.doesNotMatch(text, /Sort|Seq Scan on (orders|items)|Bitmap/, text)
      })
    }
    test(`changes: each kind is a range of its index, and only a page of entries is sorted (${when})`, async () => {
      if (analyzed) await sql.unsafe('analyze')
      const text = await plan(
        changesSql(['order', 'item']),
        ["'a'", 'null', "'j'", 'null', '0', '1', '100', '100', 'null'],
        mode,
      )
      assert.match(text, /Index Scan using orders_by_seq on orders/, text)
      assert.match(text, /Index Scan using items_by_seq on items/, text)
      assert.doesNotMatch(text, /Seq Scan on (orders|items)|Bitmap/, text)
    })
    for (const { shape, index, from } of lists.filter(({ shape }) => shape.table === 'orders')) {
      test(`orders by ${shape.order[0]}: every form of the page statement uses the index (${when})`, async () => {
        const values = [...claim, '1', 'null', '0', '100', '15000', ...from]
        const plans = [
          await plan(pageSql(shape, { skips: false }), values, mode),
          await plan(pageSql(shape, { skips: false, operator: '>' }), values, mode),
          await plan(pageSql(shape, { rest: true }), [...values, '900'], mode),
        ]
        for (const text of plans) {
          assert.match(text, new RegExp(`Index Scan using ${index} on orders\\b`), text)
          assert.doesNotMatch(text, /Sort|Seq Scan on orders|Bitmap/, text)
        }
        const byIds = await plan(byIdsSql(shape), [...claim, '1', "'{o2,o4}'"], mode)
        assert.match(byIds, /Index Scan (using|on) orders_by_id/, byIds)
      })
    }
    test(`sales look up spans and edges in the index (${when})`, async () => {
      const lists = ["'{86400}'", "'{86400}'", "'{8640000}'", "'{100}'", "'{200}'"]
      const text = await plan(salesSql(), [...claim, '1', 'null', ...lists], mode)
      assert.doesNotMatch(text, /Seq Scan on (orders|sales_rollups)/, text)
    })
  }
})

test('a statement that reads many rows is planned for its values, and the next one is not', async t => {
  const db = await openDatabase(readSettings(await freshDatabase()))
  t.after(() => db.close())
  const mode = "select current_setting('plan_cache_mode') as mode"
  const modes = [await db.planned(mode), await db.query(mode)].map(rows => rows[0])
  assert.deepEqual(modes, [{ mode: 'force_custom_plan' }, { mode: 'force_generic_plan' }])
  await assert.rejects(db.planned('select 1 / 0'))
  assert.deepEqual((await db.query(mode))[0], { mode: 'force_generic_plan' }, 'also after a failure')
})

test('a batch of several stores looks its orders up by key in a table that was empty at the first batch', async () => {
  const url = await freshDatabase()
  const storage = await openStorage(url)
  const stores = [101n, 102n, 103n]
  await write(storage, { stores: stores.map(id => store(id)) })
  const orders = stores.map(id => order(id, 'a'))
  await write(storage, { orders })
  await administer(url, fill)
  for (const time of [2000, 3000]) {
    await storage.records.write(keysOf({ orders }), () => ({
      stores: [],
      items: [],
      orders: orders.map(row => ({ row: { ...row, updated_at: time }, was_created_at: row.created_at })),
      rollups: [],
    }))
  }
  await storage.close()
  const [read] = await administer(
    url,
    `select seq_tup_read + idx_tup_fetch as tuples from pg_stat_user_tables where relname = 'orders'`,
  )
  assert.ok(Number(read?.['tuples']) < 1000, `${read?.['tuples']} orders were read`)
})
