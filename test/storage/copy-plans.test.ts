import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import postgres from 'postgres'
import type { Range } from '../../src/storage/copy/port.ts'
import { tables } from '../../src/storage/shared/tables.ts'
import { readSql, removeSql, tallySql } from '../../src/storage/postgres/copy/sql.ts'
import { readSql as sqliteReadSql } from '../../src/storage/sqlite/copy/rows.ts'
import { openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import type { Table } from '../../src/storage/shared/table.ts'
import { openStorage } from '../helpers/storage.ts'

/** A batch that reads its store, or the table, from its beginning makes a copy of millions take days. */

const rangesOf = ({ key }: Table): Range[] => [
  { after: key, through: key },
  { after: key, through: null },
]

test('SQLite finds a range by its whole key', async () => {
  const db = await openDatabase(':memory:')
  await migrate(db, 0)
  for (const table of tables) {
    for (const range of rangesOf(table)) {
      const steps = db.connection.prepare(`explain query plan ${sqliteReadSql(table, range)}`).all()
      const key =
        table.key.length > 1
          ? `(${table.key.join(',')})`
          : ['stores', 'feed'].includes(table.name)
            ? 'rowid'
            : table.key[0]
      assert.equal(steps.length, 1)
      assert.match(String(steps[0]?.['detail']), /^SEARCH t USING (INTEGER )?PRIMARY KEY/)
      assert.ok(String(steps[0]?.['detail']).includes(`(${key}>`), String(steps[0]?.['detail']))
    }
  }
  db.connection.close()
})

describe('PostgreSQL', () => {
  let sql: postgres.Sql
  before(async () => {
    const url = await freshDatabase()
    await (await openStorage(url)).close()
    sql = postgres(url, { max: 1 })
    await sql.unsafe(
      `insert into orders (store_id, created_at, id, updated_at, paid_at, seq, sold, doc)
       select 1 + n % 3, n, 'o' || n, n, n, n, '', repeat('x', 1000) from generate_series(1, 20000) as n`,
    )
  })
  after(() => sql.end())

  const orders = tables.find(({ name }) => name === 'orders') as Table
  const statements = rangesOf(orders).flatMap(range => [
    { title: 'reads', statement: readSql(orders, range, 2000)[0], range },
    { title: 'tallies', statement: tallySql(orders, range, 2000)[0], range },
  ])

  for (const analyzed of [false, true]) {
    const when = analyzed ? 'with statistics' : 'before statistics'
    for (const { title, statement, range } of statements) {
      test(`${title} a range ${range.through ? 'between two keys' : 'to the end'} by its whole key, ${when}`, async () => {
        if (analyzed) await sql`analyze orders`
        const plan = await explain(statement)
        assert.match(plan, /Index Scan using orders_pkey on orders t/)
        assert.match(plan, /Index Cond: \(*ROW\(store_id, created_at, id\) > ROW/)
        assert.doesNotMatch(plan, /Seq Scan|Bitmap|Sort/)
      })
    }
    test(`deletes by the key, ${when}`, async () => {
      if (analyzed) await sql`analyze orders`
      const plan = await explain(removeSql(orders, [['1', '1', 'x']])[0])
      assert.match(plan, /Index Scan using orders_(pkey|by_id) on orders/)
      assert.doesNotMatch(plan, /Seq Scan/)
    })
  }

  async function explain(statement: string): Promise<string> {
    const rows = await sql.unsafe(`explain (generic_plan) ${statement}`).simple()
    return rows.map(row => row['QUERY PLAN']).join('\n')
  }
})
