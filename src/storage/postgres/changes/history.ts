import { randomBytes } from 'node:crypto'
import { StorageUnavailable } from '../../port/index.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import type { Transaction } from '../connection/transaction.ts'
import { pauseSql } from '../webhooks/webhooks.ts'

/**
 * Columns about the history that a statement reads from, together with its data: the id, the server that answers (on
 * Citus the store's worker) with its timeline, and the timeline that the database knows of it. A promoted standby has a
 * new timeline, and may lack the last commits.
 */
export const historyColumns = `(select history from feed) as history, server.system_identifier, server.timeline,
  (select timeline from feed_servers where system_identifier = server.system_identifier) as known_timeline`

/** Null on a standby, which must not answer for the primary. */
export const serverSql = `(
    select system_identifier::text as system_identifier,
      case when not pg_is_in_recovery()
        then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint end as timeline
    from pg_control_system()
  ) as server`

/** The first columns of a row that has `historyColumns`. */
export interface HistoryRow {
  history: string
  server: { system_identifier: string; timeline: string; is_known: boolean }
}

export function readHistory([history, system_identifier, timeline, known_timeline]: RawRow): HistoryRow {
  if (!timeline) throw new StorageUnavailable('the database is a standby')
  return {
    history: String(history),
    server: {
      system_identifier: String(system_identifier),
      timeline: String(timeline),
      is_known: String(timeline) === String(known_timeline),
    },
  }
}

/**
 * Records a server, or its new timeline. A new timeline begins a new history, unless failovers lose no commit. So does
 * an unknown server, where the data was restored; on Citus it is a worker, which holds stores of the same history. Of
 * several nodes that find the same, one changes the row.
 */
export async function recordServer(
  db: Database,
  { system_identifier, timeline }: HistoryRow['server'],
  keepsHistory: boolean,
): Promise<void> {
  await db.write(async tx => {
    const [found] = await tx.query<{ known: boolean; citus: boolean }>(
      `select exists (select 1 from feed_servers where system_identifier = $1) as known,
         exists (select 1 from pg_extension where extname = 'citus') as citus`,
      [system_identifier],
    )
    const changed = await tx.query(
      `insert into feed_servers (system_identifier, timeline) values ($1, $2)
       on conflict (system_identifier) do update set timeline = excluded.timeline
       where feed_servers.timeline <> excluded.timeline returning 1`,
      [system_identifier, timeline],
    )
    if (changed.length === 0) return
    const keeps = found?.known ? keepsHistory : found?.citus
    if (!keeps) await beginHistory(tx)
    // Restored on another server: the first one may still call the same endpoints.
    if (!found?.known && !found?.citus) await tx.query(pauseSql)
  })
}

/** The id is made here: Citus allows no volatile function in an update of a table that is on every worker. */
export async function beginHistory(tx: Transaction): Promise<string> {
  const history = randomBytes(12).toString('hex')
  await tx.query('update feed set history = $1', [history])
  return history
}
