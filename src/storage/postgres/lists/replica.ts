import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRow } from '../connection/connection.ts'
import { type Database, openDatabase } from '../connection/database.ts'
import type { PostgresOptions, Settings } from '../connection/settings.ts'
import type { Value } from '../connection/values.ts'

/** A hot standby that may be there or not; what it cannot answer is asked of the primary. */
export interface Replica {
  /** Null when it is not to be asked now; else the one row of the statement, or null when it does not answer. */
  ask(sql: string, values: readonly Value[]): Promise<RawRow | null> | null
  /** Leaves it alone for a while. */
  rest(reason: string): void
  close(): void
}

/** A page takes milliseconds. A replica that needs longer than this is slower than the primary would be. */
const patience = 1000

/** So long it is left alone after a failure. */
const restTime = 2000

/** Whose copy it is: in that of another database, ids and versions would agree with ours by accident only. */
const identity = `select pg_is_in_recovery() as standby, system_identifier || '/' || oid as copy_of
  from pg_control_system(), pg_database where datname = current_database()`

/**
 * The replica is tried, at first and after each failure, behind the back of a request that the primary serves: so a
 * dead one costs no request its time, but for those that were waiting when it died.
 */
export function createReplica(
  primary: Database,
  settings: Settings,
  notice: NonNullable<PostgresOptions['notice']>,
): Replica {
  let database: Database | null = null
  let state: 'new' | 'used' | 'resting' = 'new'
  let tryAt = 0
  let closed = false

  function rest(reason: string, cause?: unknown): void {
    if (closed) return
    if (state !== 'resting') {
      notice('the read replica is left alone; list pages come from the primary', new Error(reason, { cause }))
    }
    state = 'resting'
    tryAt = performance.now() + restTime
  }

  async function tryIt(): Promise<void> {
    tryAt = Number.POSITIVE_INFINITY
    try {
      database ??= await openDatabase({
        ...settings,
        statement_timeout: Math.min(settings.statement_timeout, patience),
        connect_timeout: Math.min(settings.connect_timeout, patience),
      })
      if (closed) return database.close()
      const [own, found] = await Promise.all([identify(primary), identify(database)])
      if (found?.copy_of !== own?.copy_of) return rest('the read database is not a copy of the primary')
      if (!found?.standby) return rest('the read database is no standby, or no longer one')
      state = 'used'
      notice('list pages come from the read replica')
    } catch (error) {
      rest('the read replica does not answer', error)
    }
  }

  async function answerOf(from: Database, sql: string, values: readonly Value[]): Promise<RawRow | null> {
    const inTime = new AbortController()
    try {
      const answer = from.rawRow(sql, values)
      answer.catch(() => {}) // when it is late, no one is left to care
      return await Promise.race([answer, tooLate(inTime.signal)])
    } catch (error) {
      rest('the read replica does not answer', error)
      return null
    } finally {
      inTime.abort()
    }
  }

  return {
    ask(sql, values) {
      if (state === 'used' && database) return answerOf(database, sql, values)
      if (performance.now() >= tryAt) void tryIt()
      return null
    },
    rest,
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

async function tooLate(inTime: AbortSignal): Promise<never> {
  await sleep(patience, undefined, { signal: inTime })
  throw new Error(`the read replica took longer than ${patience} ms`)
}
