import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const onPostgres = process.env['TILLGATE_TEST_ENGINE'] === 'postgres'
// Only where it is used: it makes every process that loads it a test runner.
const postgres = onPostgres ? await import('./postgres.ts') : null

/**
 * An empty database for a test that does not care which engine it runs on: SQLite in memory, or, when `npm test` comes
 * by for the second time, PostgreSQL. `shared`: other threads and processes can open it too.
 */
export async function emptyDatabase({ shared = false } = {}): Promise<string> {
  if (postgres) return postgres.freshDatabase()
  return shared ? join(sharedFolder(), 'tillgate.db') : ':memory:'
}

/** For a database that several connections use: a folder that goes with the process. */
function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** How often a property is tried when every try needs a database: making one takes PostgreSQL a fifth of a second. */
export const runs = (onSqlite: number): number => (onPostgres ? Math.ceil(onSqlite / 10) : onSqlite)
