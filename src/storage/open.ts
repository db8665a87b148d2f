import { isPostgresUrl } from '../lib/database-url.ts'
import type { CopySource, CopyTarget } from './copy/port.ts'
import type { Examination } from './port/examination.ts'
import type { Storage } from './port/index.ts'
import { copyFromPostgres, openPostgresCopy } from './postgres/copy/copy.ts'
import { erasePostgres } from './postgres/schema/erase.ts'
import { examinePostgres } from './postgres/schema/examine.ts'
import { migratePostgres, openPostgres } from './postgres/index.ts'
import type { PostgresOptions } from './postgres/connection/settings.ts'
import { copyFromSqlite, openSqliteCopy } from './sqlite/copy/copy.ts'
import type { DatabaseOptions } from './sqlite/connection/database.ts'
import { eraseSqlite } from './sqlite/erase.ts'
import { examineSqlite } from './sqlite/schema/examine.ts'
import { migrateSqlite, openSqlite } from './sqlite/index.ts'
import { type Restored, restoreSqlite } from './sqlite/restore.ts'
import type { Migrated } from './shared/migrations.ts'

export type StorageOptions = DatabaseOptions & PostgresOptions

/**
 * Opens a SQLite file (or ':memory:') or a PostgreSQL database by its URL, and migrates its schema. Only this file knows
 * which engines there are.
 */
export async function openStorage(database: string, options?: StorageOptions): Promise<Storage> {
  return isPostgresUrl(database) ? openPostgres(database, options) : openSqlite(database, options)
}

/** Migrates the schema and returns its number before and after. `citus`: also distributes the tables. */
export async function migrate(
  database: string,
  options: StorageOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  if (isPostgresUrl(database)) return migratePostgres(database, options)
  if (options.citus) throw new Error('only a postgres:// database can be distributed with Citus')
  return migrateSqlite(database)
}

/** Puts a backup in the place of a SQLite database that no process uses. */
export async function restore(database: string, from: string): Promise<Restored> {
  if (isPostgresUrl(database)) {
    throw new Error(
      'restore a PostgreSQL database with its own tools, or with "tillgate copy": docs/operations.md#restore',
    )
  }
  return restoreSqlite(database, from)
}

/** Deletes everything in a database that no other process uses; the next open creates it again. */
export async function erase(database: string, options?: StorageOptions): Promise<void> {
  if (isPostgresUrl(database)) await erasePostgres(database, options)
  else eraseSqlite(database)
}

/** Checks a database without changing it. `thorough`: all of it, however large it is. */
export async function examine(
  database: string,
  options: StorageOptions & { thorough?: boolean } = {},
): Promise<Examination> {
  return isPostgresUrl(database) ? examinePostgres(database, options) : examineSqlite(database, options)
}

/** Gives `work` a snapshot of a database to copy from. The database is not changed. */
export async function copyFrom<T>(
  database: string,
  options: StorageOptions,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return isPostgresUrl(database) ? copyFromPostgres(database, options, work) : copyFromSqlite(database, work)
}

/** Opens a database to copy into, and migrates its schema. */
export async function openCopy(database: string, options?: StorageOptions): Promise<CopyTarget> {
  return isPostgresUrl(database) ? openPostgresCopy(database, options) : openSqliteCopy(database, options)
}
