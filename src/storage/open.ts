import { isPostgresUrl } from '../lib/database-url.ts'
import type { CopySource, CopyTarget } from './copy/port.ts'
import type { Examination } from './port/examination.ts'
import type { Storage } from './port/index.ts'
import { copyFromPostgres, openPostgresCopy } from './postgres/copy/copy.ts'
import { examinePostgres } from './postgres/schema/examine.ts'
import { migratePostgres, openPostgres } from './postgres/index.ts'
import type { PostgresOptions } from './postgres/connection/settings.ts'
import { copyFromSqlite, openSqliteCopy } from './sqlite/copy/copy.ts'
import type { DatabaseOptions } from './sqlite/connection/database.ts'
import { examineSqlite } from './sqlite/schema/examine.ts'
import { migrateSqlite, openSqlite } from './sqlite/index.ts'
import type { Migrated } from './shared/migrations.ts'

export type StorageOptions = DatabaseOptions & PostgresOptions

/**
 * Opens a SQLite file (or ':memory:') or a PostgreSQL database by its URL, and brings its schema up to date. This
 * file alone knows which engines there are.
 */
export async function openStorage(database: string, options?: StorageOptions): Promise<Storage> {
  return isPostgresUrl(database) ? openPostgres(database, options) : openSqlite(database, options)
}

/** Brings the schema up to date, and says which number it had and has. `citus`: also distributes the tables. */
export async function migrate(
  database: string,
  options: StorageOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  if (isPostgresUrl(database)) return migratePostgres(database, options)
  if (options.citus) throw new Error('only a postgres:// database can be distributed with Citus')
  return migrateSqlite(database)
}

/** Looks at a database without changing it. `thorough`: at all of it, however large it is. */
export async function examine(
  database: string,
  options: StorageOptions & { thorough?: boolean } = {},
): Promise<Examination> {
  return isPostgresUrl(database) ? examinePostgres(database, options) : examineSqlite(database, options)
}

/** Lends a database to be copied, as it is at this moment, for the time of `work`. It is not changed. */
export async function copyFrom<T>(
  database: string,
  options: StorageOptions,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return isPostgresUrl(database) ? copyFromPostgres(database, options, work) : copyFromSqlite(database, work)
}

/** Opens a database to be copied into, and brings its schema up to date. */
export async function openCopy(database: string, options?: StorageOptions): Promise<CopyTarget> {
  return isPostgresUrl(database) ? openPostgresCopy(database, options) : openSqliteCopy(database, options)
}
