import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createServer, type PostgresServer } from '../test/helpers/postgres-server.ts'
import type { EngineName } from './trial.ts'

/** An empty, durable database that no other test uses. */
export interface TortureDatabase {
  url: string
  /** The PostgreSQL server, for scenarios that kill it. */
  server: PostgresServer | null
  /** Damage that the database's own integrity check finds. */
  problems(): string[]
  remove(): Promise<void>
}

export async function createDatabase(engine: EngineName): Promise<TortureDatabase> {
  if (engine === 'postgres') {
    const server = await createServer({ fsync: true })
    await server.start()
    return { url: server.url, server, problems: () => [], remove: () => server.remove() }
  }
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-torture-'))
  const url = join(folder, 'tillgate.db')
  return {
    url,
    server: null,
    problems: () => sqliteProblems(url),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function sqliteProblems(file: string): string[] {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const found = connection.prepare('pragma integrity_check').all()
    const orphans = connection.prepare('pragma foreign_key_check').all()
    return [
      ...found.map(row => String(row['integrity_check'])).filter(line => line !== 'ok'),
      ...orphans.map(row => `a row of ${row['table']} refers to a missing row of ${row['parent']}`),
    ]
  } finally {
    connection.close()
  }
}
