import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Database, inMemory } from './database.ts'

/** The number of the last migration applied before and after; 0: none. */
export interface Migrated {
  from: number
  to: number
}

interface Migration {
  number: number
  name: string
  sql: string
}

const folder = join(import.meta.dirname, 'migrations')

/** Files `0001-name.sql`, by number. One that has been released never changes. */
function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map(file => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(join(folder, file), 'utf8'),
    }))
}

/** Each migration is a transaction that looks again under the lock, so any number of processes may start at once. */
export async function migrate(db: Database, now: number): Promise<Migrated> {
  const migrations = readMigrations()
  const from = await db.read(() => currentNumber(db.connection))
  let to = from
  for (const migration of migrations.filter(({ number }) => number > from)) {
    await db.write(() => {
      const current = currentNumber(db.connection)
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
 * Throws when the file is a database of a later Tillgate, or not Tillgate's at all. Read-only: even closing a
 * connection that could write may change the file.
 */
export function inspect(file: string): void {
  if (file === inMemory || !existsSync(file)) return
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  try {
    refuseNewer(currentNumber(connection), readMigrations())
  } finally {
    connection.close()
  }
}

function refuseNewer(current: number, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.number ?? 0
  if (current > newest) {
    throw new Error(
      `the database has schema ${current}; this Tillgate knows up to ${newest}. Run the version that wrote it, or a later one`,
    )
  }
}

/** For what is only read, and so cannot be migrated here. */
export function refuseOlder(connection: DatabaseSync): void {
  const migrations = readMigrations()
  const current = currentNumber(connection)
  refuseNewer(current, migrations)
  const newest = migrations.at(-1)?.number ?? 0
  if (current < newest) {
    throw new Error(
      `the database to copy has schema ${current} and must have ${newest}; run "tillgate migrate" on it first`,
    )
  }
}

function currentNumber(connection: DatabaseSync): number {
  const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  if (tables.length === 0) return 0
  if (!tables.some(({ name }) => name === 'schema_migrations')) {
    throw new Error(
      `the file is a SQLite database of something else: it has a table "${tables[0]?.['name']}"`,
    )
  }
  const row = connection.prepare('select coalesce(max(number), 0) as number from schema_migrations').get()
  return row?.['number'] as number
}
