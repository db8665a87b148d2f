import type { Storage } from './port.ts'
import type { DatabaseOptions } from './sqlite/database.ts'
import { migrateSqlite, openSqlite } from './sqlite/index.ts'
import type { Migrated } from './sqlite/migrate.ts'

/** Opens a SQLite file (or ':memory:') and brings its schema up to date. This file alone knows which engines there are. */
export async function openStorage(database: string, options?: DatabaseOptions): Promise<Storage> {
  refusePostgres(database)
  return openSqlite(database, options)
}

/** Brings the schema up to date, and says which number it had and has. */
export async function migrate(database: string): Promise<Migrated> {
  refusePostgres(database)
  return migrateSqlite(database)
}

function refusePostgres(database: string): void {
  if (/^postgres(ql)?:\/\//.test(database)) {
    throw new Error(
      'this build does not speak PostgreSQL yet; set TILLGATE_DATABASE to the path of a SQLite file',
    )
  }
}
