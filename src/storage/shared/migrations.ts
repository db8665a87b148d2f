import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of migration that both engines share: the files, and the check of the schema's version. */

/** The number of the last migration applied before and after; 0: none. */
export interface Migrated {
  from: number
  to: number
  /** Statements that are left to a superuser. */
  todo?: string[]
}

export interface Migration {
  number: number
  name: string
  sql: string
}

/** Files `0001-name.sql` of an engine, by number. A released migration never changes. */
export function readMigrations(engineFolder: string): Migration[] {
  const folder = join(engineFolder, 'migrations')
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map(file => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(join(folder, file), 'utf8'),
    }))
}

export function refuseNewer(current: number, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.number ?? 0
  if (current > newest) {
    throw new Error(
      `the database has schema ${current}; this version supports up to ${newest}. Run the version that wrote it, or a later one`,
    )
  }
}

/** For a database that is only read, and so cannot be migrated. */
export function refuseOther(current: number, migrations: readonly Migration[]): void {
  refuseNewer(current, migrations)
  const newest = migrations.at(-1)?.number ?? 0
  if (current < newest) {
    throw new Error(
      `the database to copy has schema ${current} and must have ${newest}; run "tillgate migrate" on it first`,
    )
  }
}
