import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  type Applied,
  type Migrated,
  type Migration,
  missingMigrations,
  newestOf,
  readMigrations,
  refuseNewer,
  refuseOther,
  refuseUnmigrated,
} from '../../shared/migrations.ts'
import { numberingMigration, numberRows } from '../../shared/numbering.ts'
import { type Database, inMemory } from '../connection/database.ts'
import { hasLog, readOnlyLocation } from '../connection/read-only.ts'
import { assertIntact, assertWritable, explain } from '../connection/usable.ts'
import { createNumbering } from './numbering.ts'

const readOwn = () => readMigrations(import.meta.dirname)

/** Each migration is a transaction that looks again whether it is missing: any number of processes may start at once. */
export async function migrate(db: Database, now: number): Promise<Migrated> {
  const migrations = readOwn()
  const applied = await db.snapshot(() => appliedTo(db.connection))
  const missing = missingMigrations(applied, migrations)
  for (const migration of missing) {
    if (migration.number === numberingMigration) await numberRows(createNumbering(db))
    await db.write(() => {
      if (missingMigrations(appliedTo(db.connection), migrations).includes(migration))
        apply(db.connection, migration, now)
    })
  }
  return { from: newestOf(applied), to: newestOf([...applied, ...missing]) }
}

/** Throws unless another connection has migrated the database. */
export const assertMigrated = (db: Database): Promise<void> =>
  db.snapshot(() => refuseUnmigrated(appliedTo(db.connection), readOwn()))

export function appliedTo(connection: DatabaseSync): Applied[] {
  if (schemaNumber(connection) === 0) return []
  return connection
    .prepare('select number, name from schema_migrations')
    .all()
    .map(({ number, name }) => ({ number: Number(number), name: String(name) }))
}

function apply(connection: DatabaseSync, { number, name, sql }: Migration, now: number): void {
  connection.exec(`create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    applied_at integer not null
  ) strict`)
  connection.exec(sql)
  connection
    .prepare('insert into schema_migrations (number, name, applied_at) values (?, ?, ?)')
    .run(number, name, now)
}

/**
 * Throws when the file is not writable, is damaged, belongs to a later Tillgate or to another program. The connection
 * is read-only: closing a writable one may change the file.
 */
export function inspect(file: string): void {
  if (file === inMemory) return
  assertWritable(file)
  if (!existsSync(file)) return
  try {
    check(file)
  } catch (error) {
    // Another process may have begun to write meanwhile.
    if (!hasLog(file)) throw error
    check(file)
  }
}

function check(file: string): void {
  const connection = new DatabaseSync(readOnlyLocation(file), { readOnly: true, timeout: 1000 })
  try {
    refuseNewer(schemaNumber(connection), readOwn())
    assertIntact(connection, file)
  } catch (error) {
    throw explain(error, file)
  } finally {
    connection.close()
  }
}

/** For a database that is only read and so cannot be migrated here. */
export const refuseOlder = (connection: DatabaseSync): void =>
  refuseOther(schemaNumber(connection), readOwn())

/** Throws unless the tables are Tillgate's, of this version or of an earlier one. */
export function assertOwnSchema(connection: DatabaseSync, file: string): void {
  const migrations = readOwn()
  const tables = connection.prepare("select name from sqlite_schema where name = 'schema_migrations'").all()
  const columns = connection.prepare("select name from pragma_table_info('schema_migrations')").all()
  const ours = tables.length === 1 && columns.some(({ name }) => name === 'number')
  const first = ours && connection.prepare('select name from schema_migrations where number = 1').get()
  if (!first || first['name'] !== migrations[0]?.name) throw new Error(`${file} is not a Tillgate database`)
  refuseNewer(schemaNumber(connection), migrations)
}

/** The number of the last migration applied; 0: none. */
function schemaNumber(connection: DatabaseSync): number {
  const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  if (tables.length === 0) return 0
  if (!tables.some(({ name }) => name === 'schema_migrations')) {
    throw new Error(`the file is another program’s SQLite database: it has a table "${tables[0]?.['name']}"`)
  }
  const row = connection.prepare('select coalesce(max(number), 0) as number from schema_migrations').get()
  return row?.['number'] as number
}
