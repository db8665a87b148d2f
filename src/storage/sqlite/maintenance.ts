import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { randomId } from '../../lib/ids.ts'
import { runEach } from '../../lib/run-each.ts'
import { type Storage, usageRetention, usageWidths } from '../port/index.ts'
import { type Database, inMemory } from './connection/database.ts'
import { translate } from './connection/errors.ts'
import { companions, publish } from './connection/replace.ts'
import { separate } from './separate.ts'

/** Rows deleted in one transaction: few enough that no request waits long for it. */
const purgeBatch = 1000

/** Usage figures beyond their retention; ?1 is now. */
const expiredUsage = [
  ...(['hour', 'day'] as const).flatMap(width =>
    [
      { table: 'usage_reads', key: 'store_id, width, bucket, app_id' },
      { table: 'usage_requests', key: 'app_id, width, bucket, endpoint' },
      { table: 'usage_ingest', key: 'width, bucket' },
    ].map(each => ({
      ...each,
      which: `width = ${usageWidths[width]} and bucket <= ?1 - ${usageRetention[width]}`,
    })),
  ),
  {
    table: 'request_log',
    key: 'app_id, at_ms, request_id',
    which: `at_ms / 1000 <= ?1 - ${usageRetention.log}`,
  },
]

export function createMaintenance(
  db: Database,
  file: string,
): Pick<Storage, 'ping' | 'isEmpty' | 'size' | 'version' | 'schema' | 'purge' | 'backup' | 'close'> {
  const ping = db.prepare('select number from schema_migrations limit 1')
  const empty = db.prepare<{ empty: number }>(
    `select not exists (select 1 from accounts) and not exists (select 1 from apps)
       and not exists (select 1 from stores) as empty`,
  )
  const size = db.prepare<{ bytes: number }>(
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  )
  const version = db.prepare<{ version: string }>('select sqlite_version() as version')
  const schema = db.prepare<{ number: number }>('select max(number) as number from schema_migrations')
  const expired = [
    { table: 'artifacts', key: 'kind, hash' },
    { table: 'sessions', key: 'hash' },
    { table: 'revoked_tokens', key: 'jti' },
    { table: 'throttles', key: 'key' },
  ].map(({ table, key }) => ({ table, key, which: 'expires_at <= ?1' }))
  const purges = [...expired, ...expiredUsage].map(({ table, key, which }) =>
    db.prepare(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${which} limit ${purgeBatch})`,
    ),
  )

  return {
    ping: () => db.query(() => void ping.get()),
    isEmpty: () => db.query(() => empty.get()?.empty === 1),
    size: () => db.query(() => size.get()?.bytes ?? 0),
    version: () => db.query(() => `SQLite ${version.get()?.version}`),
    schema: () => db.query(() => schema.get()?.number ?? 0),
    purge: now =>
      runEach(
        purges.map(purge => async () => {
          while ((await db.write(() => Number(purge.run(now).changes))) === purgeBatch) {
            // A write that has the lock settles in microtasks, which would leave no turn to requests until the end.
            await new Promise(setImmediate)
          }
        }),
      ),
    async backup(target) {
      if (existsSync(target)) throw exists(target)
      const temporary = `${target}.${randomId()}.partial`
      const { source, release } = openSnapshot(db, file)
      try {
        // Like createFile, but without its folder.
        closeSync(openSync(temporary, 'wx', 0o600))
        await backup(source, temporary)
        finish(temporary)
        if (!publish(temporary, target)) throw exists(target)
      } catch (error) {
        throw translate(error)
      } finally {
        for (const suffix of ['', ...companions]) rmSync(`${temporary}${suffix}`, { force: true })
        release()
      }
    },
    async close() {
      try {
        db.connection.exec('pragma wal_checkpoint(truncate)')
      } catch {
        // Another process uses the write-ahead log and will checkpoint it.
      }
      if (db.connection.isOpen) db.connection.close()
    },
  }
}

const exists = (file: string): Error => new Error(`${file} exists; a backup does not overwrite a file`)

/** Somebody may serve the backup without `restore`, for example to look something up. */
function finish(temporary: string): void {
  const connection = new DatabaseSync(temporary)
  try {
    separate(connection)
  } finally {
    connection.close()
  }
}

/**
 * A connection with an open read transaction: a backup of that snapshot never starts over, however much others write.
 * An in-memory database has a single connection, whose writes go into the copy too.
 */
function openSnapshot(db: Database, file: string): { source: DatabaseSync; release: () => void } {
  if (file === inMemory) return { source: db.connection, release: () => {} }
  const source = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  source.exec('begin; select number from schema_migrations limit 1')
  return { source, release: () => source.close() }
}
