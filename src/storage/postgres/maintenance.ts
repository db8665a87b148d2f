import { runEach } from '../../lib/run-each.ts'
import { type Storage, usageRetention, usageWidths } from '../port/index.ts'
import type { Database } from './connection/database.ts'

/** About as many rows as one statement deletes, unless more have the same time. */
const purgeBatch = 1000

/** Rows that expire: those of `which` whose `time` is at most `end`. */
interface Expiry {
  table: string
  time: string
  which: string
  end(now: number): number
  /** Any number of rows may have the same time, and are deleted together: that may exceed the statement timeout. */
  unlimited: boolean
}

const expiring: Expiry[] = ['artifacts', 'sessions', 'revoked_tokens', 'throttles'].map(table => ({
  table,
  time: 'expires_at',
  which: 'true',
  end: now => now,
  unlimited: false,
}))

const usage: Expiry[] = [
  ...(['hour', 'day'] as const).flatMap(width =>
    ['usage_reads', 'usage_requests', 'usage_ingest'].map(table => ({
      table,
      time: 'bucket',
      which: `width = ${usageWidths[width]}`,
      end: (now: number) => now - usageRetention[width],
      unlimited: true,
    })),
  ),
  {
    table: 'request_log',
    time: 'at_ms / 1000',
    which: 'true',
    end: now => now - usageRetention.log,
    unlimited: false,
  },
]

export function createMaintenance(
  db: Database,
): Pick<Storage, 'ping' | 'isEmpty' | 'size' | 'version' | 'schema' | 'purge' | 'backup' | 'close'> {
  /**
   * Asked first, because Citus sends even a DELETE without rows to every copy of a table. The oldest row, not any: for any
   * PostgreSQL reads the table, because a generic plan expects a third of it to have expired.
   */
  async function hasExpired({ table, time, which }: Expiry, end: number): Promise<boolean> {
    const rows = await db.query(
      `select 1 from ${table} where ${which} and ${time} <= $1 order by ${time} limit 1`,
      [end],
    )
    return rows.length > 0
  }

  /** The time at which a batch ends; by time and not by key, so that every copy of a table deletes the same rows. */
  async function batchEnd({ table, time, which }: Expiry, end: number): Promise<number | null> {
    const [row] = await db.query<{ end_at: number }>(
      `select ${time} as end_at from ${table} where ${which} and ${time} <= $1
       order by ${time} offset ${purgeBatch} limit 1`,
      [end],
    )
    return row?.end_at ?? null
  }

  async function deleteExpired(expiry: Expiry, last: number): Promise<void> {
    const { table, time, which, unlimited } = expiry
    if (!(await hasExpired(expiry, last))) return
    for (let end: number | null = 0; end !== null; ) {
      end = await batchEnd(expiry, last)
      const values = [end ?? last]
      // Planned for its value, for the same reason as above.
      await db.write(tx => tx.query(`delete from ${table} where ${which} and ${time} <= $1`, values), {
        planned: true,
        unlimited,
      })
    }
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
    async size() {
      const [row] = await db.query<{ count: number }>('select pg_database_size(current_database()) as count')
      return row?.count ?? 0
    },
    async version() {
      const [row] = await db.query<{ version: string }>(`select current_setting('server_version') as version`)
      // A distribution appends its own name.
      return `PostgreSQL ${row?.version.split(' ', 1)[0]}`
    },
    async schema() {
      const [row] = await db.query<{ number: number }>('select max(number) as number from schema_migrations')
      return row?.number ?? 0
    },
    purge: now =>
      runEach([...expiring, ...usage].map(expiry => () => deleteExpired(expiry, expiry.end(now)))),
    async backup() {
      throw new Error(
        'back up a PostgreSQL database with its own tools: pg_dump, or the backups of the platform it runs on',
      )
    },
    async close() {
      db.close()
    },
  }
}
