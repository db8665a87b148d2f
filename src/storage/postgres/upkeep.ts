import type { Storage } from '../port.ts'
import type { Database } from './database.ts'

/** Rows deleted in about one statement: few enough that none runs into its time limit. */
const purgeBatch = 1000

export function createUpkeep(db: Database): Pick<Storage, 'ping' | 'isEmpty' | 'purge' | 'backup' | 'close'> {
  /** The moment up to which a batch reaches; by time, not by key, so that every copy of a table deletes the same. */
  async function batchEnd(table: string, now: number): Promise<number | null> {
    const [row] = await db.query<{ expires_at: number }>(
      `select expires_at from ${table} where expires_at <= $1 order by expires_at offset ${purgeBatch} limit 1`,
      [now],
    )
    return row?.expires_at ?? null
  }

  return {
    async ping() {
      await db.query('select number from schema_migrations limit 1')
    },
    async isEmpty() {
      const [row] = await db.query<{ empty: boolean }>(
        `select not exists (select 1 from accounts) and not exists (select 1 from apps)
       and not exists (select 1 from stores) as empty`,
      )
      return row?.empty === true
    },
    async purge(now) {
      for (const table of ['artifacts', 'sessions', 'revoked_tokens', 'throttles']) {
        for (let end: number | null = 0; end !== null; ) {
          end = await batchEnd(table, now)
          await db.query(`delete from ${table} where expires_at <= $1`, [end ?? now])
        }
      }
    },
    async backup() {
      throw new Error(
        'a PostgreSQL database is backed up by its own tools: pg_dump, or the backups of the platform it runs on',
      )
    },
    async close() {
      db.close()
    },
  }
}
