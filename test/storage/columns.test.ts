import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts'
import { migratePostgres } from '../../src/storage/postgres/index.ts'
import { isInt64, readInteger } from '../../src/storage/shared/integers.ts'
import type { ColumnType, Table } from '../../src/storage/shared/table.ts'
import { feedServers, tables, throttles, webhookSender } from '../../src/storage/shared/tables.ts'
import { otherRows } from '../../bench/size/people.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'

const columnsOf = ({ name: table, columns }: Table) =>
  Object.entries(columns).map(([column, type]) => ({ table, column, type }))

const declared = [...tables, throttles, webhookSender].flatMap(columnsOf)

/** `table.column type`, with the engine's own name of the type. */
const schemaOf = (engineTypes: Record<ColumnType, string>, columns = declared): string[] =>
  columns.map(({ table, column, type }) => `${table}.${column} ${engineTypes[type]}`).sort()

describe('every column of the schema has a declared type', () => {
  test('in SQLite', async () => {
    const db = await openDatabase(':memory:')
    await migrate(db, 0)
    const columns = db.connection
      .prepare(
        `select tables.name || '.' || columns.name || ' ' || lower(columns.type) as line
         from sqlite_schema as tables join pragma_table_info(tables.name) as columns
         where tables.type = 'table' and tables.name <> 'schema_migrations'`,
      )
      .all()
    db.connection.close()
    assert.deepEqual(
      columns.map(({ line }) => line as string).sort(),
      schemaOf({ text: 'text', int64: 'integer', number: 'integer', boolean: 'integer' }),
    )
  })

  test('in PostgreSQL', async () => {
    const url = await freshDatabase()
    await migratePostgres(url)
    const columns = await administer(
      url,
      `select table_name || '.' || column_name || ' ' ||
         case data_type when 'integer' then 'bigint' else data_type end as line
       from information_schema.columns
       where table_schema = 'public' and table_name <> 'schema_migrations'`,
    )
    assert.deepEqual(
      columns.map(({ line }) => line as string).sort(),
      schemaOf({ text: 'text', int64: 'bigint', number: 'bigint', boolean: 'boolean' }, [
        ...declared,
        ...columnsOf(feedServers),
      ]),
    )
  })
})

test('a column name is int64 in every table that has it as an integer, or in none', () => {
  for (const { table, column, type } of declared) {
    if (type === 'number') assert.equal(isInt64(column), false, `${table}.${column}`)
  }
})

test('integers are read as declared, and never rounded', () => {
  const above = 2n ** 53n + 1n
  assert.equal(readInteger(above, 'store_id'), above)
  assert.equal(readInteger(1n, 'store_id'), 1n)
  assert.equal(readInteger(1n, 'created_at'), 1)
  assert.equal(readInteger(1n, 'some_expression'), 1)
  assert.throws(() => readInteger(above, 'created_at'), /created_at is 9007199254740993/)
})

test('the rows about people and apps that bench:size makes have exactly the declared columns', () => {
  for (const [name, rows] of otherRows({ stores: 100, orders: 1 }, 1_700_000_000)) {
    const table = tables.find(table => table.name === name)
    for (const row of Iterator.from(rows).take(1))
      assert.deepEqual(Object.keys(row).sort(), Object.keys(table?.columns ?? {}).sort(), name)
  }
})
