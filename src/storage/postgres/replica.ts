import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRow } from './connection.ts'
import { type Database, openDatabase } from './database.ts'
import type { Settings } from './settings.ts'
import type { Value } from './values.ts'

/** A hot standby that may be there or not; what it cannot answer is asked of the primary. */
export interface Replica {
  /** The one row of a statement; null when the replica is not to be asked, or does not answer in time. */
  row(sql: string, values: readonly Value[]): Promise<RawRow | null>
  /** Leaves it alone for a while. */
  rest(reason: string, error?: unknown): void
  close(): void
}

/** With an error: something to look after. */
export type Notice = (text: string, error?: unknown) => void

/** A page takes milliseconds. A replica that needs longer than this is slower than asking twice. */
const patience = 1000

/** So long it is left alone after a failure. */
const restTime = 2000

/** Whose standby it is; versions and ids of another database would fit ours by accident only. */
const identity = `select system_identifier || '/' ||
    (select oid from pg_database where datname = current_database()) || '/' || current_database() as identity,
  pg_is_in_recovery() as standby from pg_control_system()`

/**
 * The replica is tried, at first and after each failure, behind the back of a request that is served by the primary:
 * so a dead one costs no request its time, but for those that were waiting when it died.
 */
export function createReplica(primary: Database, settings: Settings, notice: Notice): Replica {
  let database: Database | null = null
  let usable = false
  let told: 'used' | 'resting' | null = null
  let tryAgainAt = 0
  let closed = false

  function tell(state: 'used' | 'resting', text: string, error?: unknown): void {
    if (told === state || closed) return
    told = state
    notice(text, error)
  }

  function rest(reason: string, error?: unknown): void {
    usable = false
    tryAgainAt = performance.now() + restTime
    tell('resting', `list pages come from the primary: ${reason}`, error ?? new Error(reason))
  }

  async function tryOnce(): Promise<void> {
    tryAgainAt = Number.POSITIVE_INFINITY
    try {
      database ??= await openDatabase({
        ...settings,
        statement_timeout: Math.min(settings.statement_timeout, patience),
        connect_timeout: Math.min(settings.connect_timeout, patience),
      })
      if (closed) return database.close()
      const [[own], [other]] = await Promise.all([identify(primary), identify(database)])
      if (own?.identity !== other?.identity) return rest('the read database is a copy of another database')
      if (!other?.standby) return rest('the read database is no standby, or no longer one')
      usable = true
      tell('used', 'list pages come from the read replica')
    } catch (error) {
      rest('the read replica does not answer', error)
    }
  }

  return {
    async row(sql, values) {
      if (!usable || !database) {
        if (performance.now() >= tryAgainAt) void tryOnce()
        return null
      }
      const late = new AbortController()
      try {
        const answer = database.rawRow(sql, values)
        // Too late, it may still fail: no one is left to care.
        answer.catch(() => {})
        return await Promise.race([answer, tooLate(late.signal)])
      } catch (error) {
        rest('the read replica fails', error)
        return null
      } finally {
        late.abort()
      }
    },
    rest,
    close() {
      closed = true
      usable = false
      database?.close()
    },
  }
}

const identify = (db: Database) => db.query<{ identity: string; standby: boolean }>(identity)

async function tooLate(signal: AbortSignal): Promise<never> {
  await sleep(patience, undefined, { signal })
  throw new Error(`the read replica took longer than ${patience} ms`)
}
