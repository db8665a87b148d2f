import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRow } from '../connection/connection.ts'
import { type Database, openDatabase } from '../connection/database.ts'
import type { PostgresOptions, Settings } from '../connection/settings.ts'
import type { Value } from '../connection/values.ts'

/** A hot standby that may fail at any time; the primary then serves its reads. */
export interface Replica {
  /** Null when the replica is not in use; else the single row of the statement, or null when the replica fails. */
  query(sql: string, values: readonly Value[]): Promise<RawRow | null> | null
  /** Stops using the replica for a while. */
  pause(reason: string): void
  close(): void
}

/** Milliseconds. A page takes a few; a replica that needs longer is slower than the primary. */
const timeout = 1000

/** Milliseconds without queries after a failure. */
const pauseTime = 2000

/** Identifies the database: a replica of another one must not be used, even if its versions agree. */
const identity = `select pg_is_in_recovery() as standby, system_identifier || '/' || oid as copy_of
  from pg_control_system(), pg_database where datname = current_database()`

/**
 * The replica is tried, at first and after each failure, in the background of a request that the primary serves. So a
 * failed replica delays only the requests that were waiting for it.
 */
export function createReplica(
  primary: Database,
  settings: Settings,
  notice: NonNullable<PostgresOptions['notice']>,
): Replica {
  let database: Database | null = null
  let state: 'new' | 'in use' | 'paused' = 'new'
  let tryAt = 0
  let closed = false

  function pause(reason: string, cause?: unknown): void {
    if (closed) return
    if (state !== 'paused') {
      notice(
        'the read replica is not used for now; list pages come from the primary',
        new Error(reason, { cause }),
      )
    }
    state = 'paused'
    tryAt = performance.now() + pauseTime
  }

  async function connect(): Promise<void> {
    tryAt = Number.POSITIVE_INFINITY
    try {
      database ??= await openDatabase({
        ...settings,
        statement_timeout: Math.min(settings.statement_timeout, timeout),
        connect_timeout: Math.min(settings.connect_timeout, timeout),
      })
      if (closed) return database.close()
      const [own, found] = await Promise.all([identify(primary), identify(database)])
      if (found?.copy_of !== own?.copy_of) return pause('the read database is not a copy of the primary')
      if (!found?.standby) return pause('the read database is not a standby')
      state = 'in use'
      notice('list pages come from the read replica')
    } catch (error) {
      pause('the read replica does not answer', error)
    }
  }

  async function queryWithTimeout(
    from: Database,
    sql: string,
    values: readonly Value[],
  ): Promise<RawRow | null> {
    const inTime = new AbortController()
    try {
      const answer = from.rawRow(sql, values)
      answer.catch(() => {}) // after the timeout nothing handles it
      return await Promise.race([answer, rejectLate(inTime.signal)])
    } catch (error) {
      pause('the read replica does not answer', error)
      return null
    } finally {
      inTime.abort()
    }
  }

  return {
    query(sql, values) {
      if (state === 'in use' && database) return queryWithTimeout(database, sql, values)
      if (performance.now() >= tryAt) void connect()
      return null
    },
    pause,
    close() {
      closed = true
      database?.close()
    },
  }
}

async function identify(db: Database): Promise<{ copy_of: string; standby: boolean } | undefined> {
  const [row] = await db.query<{ copy_of: string; standby: boolean }>(identity)
  return row
}

async function rejectLate(inTime: AbortSignal): Promise<never> {
  await sleep(timeout, undefined, { signal: inTime })
  throw new Error(`the read replica took longer than ${timeout} ms`)
}
