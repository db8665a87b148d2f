import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SchemaState } from '../port/examination.ts'

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

/** A migration by its row in schema_migrations. */
export type Applied = Pick<Migration, 'number' | 'name'>

/** The schema's number: 0 without tables. */
export const newestOf = (applied: readonly Applied[]): number =>
  Math.max(0, ...applied.map(({ number }) => number))

/** Those that a database lacks. Throws when it has others: one of a newer version, or of a branch that was never released. */
export function missingMigrations(
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Migration[] {
  refuseNewer(newestOf(applied), migrations)
  const unknown = applied.find(({ number, name }) => migrations[number - 1]?.name !== name)
  if (unknown) {
    throw new Error(
      `the database has the migration ${unknown.number} "${unknown.name}" of a version that was never released; ` +
        'start with a new database, or run the version that wrote it',
    )
  }
  return migrations.filter(({ number }) => !applied.some(each => each.number === number))
}

/** For `doctor`. */
export function schemaState(applied: readonly Applied[], migrations: readonly Migration[]): SchemaState {
  const newest = newestOf(migrations)
  try {
    const [missing] = missingMigrations(applied, migrations)
    return { current: missing ? missing.number - 1 : newest, newest, refusal: null }
  } catch (error) {
    return { current: newestOf(applied), newest, refusal: (error as Error).message }
  }
}

/** For a part of a process that has opened the database before. */
export function refuseUnmigrated(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const newest = newestOf(migrations)
  if (newestOf(applied) < newest)
    throw new Error(`the database lacks migrations of this version, up to ${newest}: restart the server`)
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
