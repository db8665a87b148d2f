import type { Storage } from './port.ts'
import { migratePostgres, openPostgres } from './postgres/index.ts'
import type { PostgresOptions } from './postgres/settings.ts'
import type { DatabaseOptions } from './sqlite/database.ts'
import { migrateSqlite, openSqlite } from './sqlite/index.ts'
import type { Migrated } from './sqlite/migrate.ts'

export type StorageOptions = DatabaseOptions & PostgresOptions

/**
 * Opens a SQLite file (or ':memory:') or a PostgreSQL database by its URL, and brings its schema up to date. This
 * file alone knows which engines there are.
 */
export async function openStorage(database: string, options?: StorageOptions): Promise<Storage> {
  return isPostgres(database) ? openPostgres(database, options) : openSqlite(database, options)
}

/** Brings the schema up to date, and says which number it had and has. `citus`: also distributes the tables. */
export async function migrate(
  database: string,
  options: StorageOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  if (isPostgres(database)) return migratePostgres(database, options)
  if (options.citus) throw new Error('only a postgres:// database can be distributed with Citus')
  return migrateSqlite(database)
}

const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)
