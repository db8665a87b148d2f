import { isPostgresUrl } from '../lib/database-url.ts'
import type { CopySource, CopyTarget } from './copy/port.ts'
import type { Examination } from './port/examination.ts'
import type { Storage } from './port/index.ts'
import type { PostgresOptions } from './postgres/connection/settings.ts'
import type { DatabaseOptions } from './sqlite/connection/database.ts'
import type { Restored } from './sqlite/restore.ts'
import type { Migrated } from './shared/migrations.ts'

export type StorageOptions = DatabaseOptions &
  PostgresOptions & {
    /** Another connection of the process has created and migrated the database: here it must exist as it is needed. */
    migrated?: boolean
  }

// Each engine is loaded on demand: a process uses one of them, and loading both takes twice as long.
const sqlite = () => import('./sqlite/index.ts')
const sqliteCopy = () => import('./sqlite/copy/copy.ts')
const postgres = () => import('./postgres/index.ts')
const postgresCopy = () => import('./postgres/copy/copy.ts')

/**
 * Opens a SQLite file (or ':memory:') or a PostgreSQL database by its URL, and migrates its schema. Only this file knows
 * which engines there are.
 */
export async function openStorage(database: string, options?: StorageOptions): Promise<Storage> {
  return isPostgresUrl(database)
    ? (await postgres()).openPostgres(database, options)
    : (await sqlite()).openSqlite(database, options)
}

/** Migrates the schema and returns its number before and after. `citus`: also distributes the tables. */
export async function migrate(
  database: string,
  options: StorageOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  if (isPostgresUrl(database)) return (await postgres()).migratePostgres(database, options)
  if (options.citus) throw new Error('only a postgres:// database can be distributed with Citus')
  return (await sqlite()).migrateSqlite(database)
}

/** Puts a backup in the place of a SQLite database that no process uses. */
export async function restore(database: string, from: string): Promise<Restored> {
  if (isPostgresUrl(database)) {
    throw new Error(
      'restore a PostgreSQL database with its own tools, or with "tillgate copy": docs/operations.md#restore',
    )
  }
  const { restoreSqlite } = await import('./sqlite/restore.ts')
  return restoreSqlite(database, from)
}

/** Deletes everything in a database that no other process uses; the next open creates it again. */
export async function erase(database: string, options?: StorageOptions): Promise<void> {
  if (isPostgresUrl(database)) {
    const { erasePostgres } = await import('./postgres/schema/erase.ts')
    await erasePostgres(database, options)
  } else {
    const { eraseSqlite } = await import('./sqlite/erase.ts')
    eraseSqlite(database)
  }
}

/** Checks a database without changing it. `thorough`: all of it, however large it is. */
export async function examine(
  database: string,
  options: StorageOptions & { thorough?: boolean } = {},
): Promise<Examination> {
  if (isPostgresUrl(database)) {
    const { examinePostgres } = await import('./postgres/schema/examine.ts')
    return examinePostgres(database, options)
  }
  const { examineSqlite } = await import('./sqlite/schema/examine.ts')
  return examineSqlite(database, options)
}

/** Gives `work` a snapshot of a database to copy from. The database is not changed. */
export async function copyFrom<T>(
  database: string,
  options: StorageOptions,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return isPostgresUrl(database)
    ? (await postgresCopy()).copyFromPostgres(database, options, work)
    : (await sqliteCopy()).copyFromSqlite(database, work)
}

/** Opens a database to copy into, and migrates its schema. */
export async function openCopy(database: string, options?: StorageOptions): Promise<CopyTarget> {
  return isPostgresUrl(database)
    ? (await postgresCopy()).openPostgresCopy(database, options)
    : (await sqliteCopy()).openSqliteCopy(database, options)
}
