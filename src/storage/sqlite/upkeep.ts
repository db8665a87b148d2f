import { existsSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { randomId } from '../../lib/ids.ts'
import type { Storage } from '../port.ts'
import { createFile, type Database, inMemory } from './database.ts'
import { translate } from './errors.ts'

/** Rows deleted in one transaction: few enough that no request waits long behind it. */
const purgeBatch = 1000

export function createUpkeep(
  db: Database,
  file: string,
): Pick<Storage, 'ping' | 'isEmpty' | 'purge' | 'backup' | 'close'> {
  const ping = db.prepare('select number from schema_migrations limit 1')
  const empty = db.prepare<{ empty: number }>(
    `select not exists (select 1 from accounts) and not exists (select 1 from apps)
       and not exists (select 1 from stores) as empty`,
  )
  const purges = [
    { table: 'artifacts', key: 'kind, hash' },
    { table: 'sessions', key: 'hash' },
    { table: 'revoked_tokens', key: 'jti' },
    { table: 'throttles', key: 'key' },
  ].map(({ table, key }) =>
    db.prepare(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where expires_at <= ? limit ${purgeBatch})`,
    ),
  )

  return {
    ping: () => db.read(() => void ping.get()),
    isEmpty: () => db.read(() => empty.get()?.empty === 1),
    async purge(now) {
      for (const purge of purges) {
        while ((await db.write(() => Number(purge.run(now).changes))) === purgeBatch);
      }
    },
    async backup(target) {
      if (existsSync(target)) throw new Error(`${target} exists; a backup does not overwrite a file`)
      const temporary = `${target}.${randomId()}.partial`
      const { source, release } = openSnapshot(db, file)
      try {
        createFile(temporary)
        await backup(source, temporary)
        renameSync(temporary, target)
      } catch (error) {
        rmSync(temporary, { force: true })
        throw translate(error)
      } finally {
        release()
      }
    },
    async close() {
      try {
        db.connection.exec('pragma wal_checkpoint(truncate)')
      } catch {
        // Another process is using the log and will write it back itself.
      }
      if (db.connection.isOpen) db.connection.close()
    },
  }
}

/**
 * A connection whose open read transaction holds one moment: copied from it, a backup never starts over however much
 * is written meanwhile. An in-memory database has one connection only, whose own writes go into the copy too.
 */
function openSnapshot(db: Database, file: string): { source: DatabaseSync; release: () => void } {
  if (file === inMemory) return { source: db.connection, release: () => {} }
  const source = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  source.exec('begin; select number from schema_migrations limit 1')
  return { source, release: () => source.close() }
}
