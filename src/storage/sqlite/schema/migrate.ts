import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type Migrated,
  type Migration,
  readMigrations,
  refuseNewer,
  refuseOther,
} from '../../shared/migrations.ts'
import { type Database, inMemory } from '../connection/database.ts'
import { assertIntact, assertWritable, explain } from '../connection/usable.ts'

const readOwn = () => readMigrations(import.meta.dirname)

/** Each migration is a transaction that reads the schema number again, so any number of processes may start at once. */
export async function migrate(db: Database, now: number): Promise<Migrated> {
  const migrations = readOwn()
  const from = await db.read(() => schemaNumber(db.connection))
  let to = from
  for (const migration of migrations.filter(({ number }) => number > from)) {
    await db.write(() => {
      const current = schemaNumber(db.connection)
      refuseNewer(current, migrations)
      if (migration.number > current) apply(db.connection, migration, now)
      to = Math.max(current, migration.number)
    })
  }
  return { from, to }
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
    // Without a write-ahead log no process is writing, and with `immutable` SQLite does not create one either.
    if (!hasLog(file)) return check(file, `${pathToFileURL(file)}?immutable=1`)
  } catch (error) {
    // Another process may have begun to write meanwhile.
    if (!hasLog(file)) throw error
  }
  check(file, file)
}

const hasLog = (file: string): boolean => existsSync(`${file}-wal`)

function check(file: string, location: string): void {
  const connection = new DatabaseSync(location, { readOnly: true, timeout: 1000 })
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

/** The number of the last migration applied; 0: none. */
export function schemaNumber(connection: DatabaseSync): number {
  const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  if (tables.length === 0) return 0
  if (!tables.some(({ name }) => name === 'schema_migrations')) {
    throw new Error(`the file is another program’s SQLite database: it has a table "${tables[0]?.['name']}"`)
  }
  const row = connection.prepare('select coalesce(max(number), 0) as number from schema_migrations').get()
  return row?.['number'] as number
}
