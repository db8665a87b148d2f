import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administer } from './postgres-admin.ts'

/** `npm test` runs the tests that touch the engine twice: on SQLite, and with this set (test/suites/postgres). */
export const onPostgres = process.env['TILLGATE_TEST_ENGINE'] === 'postgres'
export const engineName = onPostgres ? 'postgres' : 'sqlite'
// Only where it is used: it makes every process that loads it a test runner.
const postgres = onPostgres ? await import('./postgres.ts') : null

/**
 * An empty database of the engine that the tests run on: SQLite in memory, or PostgreSQL. `shared`: other threads and
 * processes can open it too. `schema: false`: PostgreSQL without a table, for tests about migrations.
 */
export async function emptyDatabase({ shared = false, schema = true } = {}): Promise<string> {
  if (postgres) return schema ? postgres.migratedDatabase() : postgres.freshDatabase()
  return shared ? join(sharedFolder(), 'tillgate.db') : ':memory:'
}

/** For a file that opens one for each test, and closes it before the next. */
export const databaseForEach = async (): Promise<string> => postgres?.emptiedDatabase() ?? ':memory:'

let folders: string | null = null

/** For a database that several connections use: a folder that goes with the process. */
function sharedFolder(): string {
  folders ??= folderOfProcess()
  return mkdtempSync(join(folders, 'database-'))
}

function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Whether no command has opened a shared one yet: the first that does makes the schema. */
export async function isUntouched(database: string): Promise<boolean> {
  if (!onPostgres) return !existsSync(database)
  const [found] = await administer(database, `select to_regclass('schema_migrations') is null as untouched`)
  return found?.['untouched'] === true
}

/** For `{ skip: sqliteAlone }` and the like: what the other engine does not have, or need not repeat. */
export const sqliteAlone = onPostgres && 'is about a SQLite file'
export const postgresAlone = !onPostgres && 'is about a PostgreSQL database'
export const beforeDatabase = onPostgres && 'is decided before the database is asked'

/** How often a property is tried when every try needs a database: making one takes PostgreSQL a fifth of a second. */
export const runs = (onSqlite: number): number => (onPostgres ? Math.ceil(onSqlite / 10) : onSqlite)
