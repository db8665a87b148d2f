import { connect } from './connection.ts'
import { isRefusedParameter, translate } from './errors.ts'
import type { Settings } from './settings.ts'

/** What a session of this server can keep: its own settings and statements, or, behind a pooler, nothing. */
export interface Session {
  /** Sent when a connection starts. */
  parameters: Record<string, string>
  /** To be added to BEGIN; empty when the parameters do. */
  local: string
  /** Whether statements are prepared. */
  prepare: boolean
}

/**
 * Settings that go with the connection cost nothing later. A pooler in transaction mode refuses or drops them, and
 * anything set in a session there would reach other clients; then each transaction brings its own.
 */
export async function agreeOnSession(settings: Settings): Promise<Session> {
  const wanted: Record<string, string> = {
    statement_timeout: String(settings.statement_timeout),
    // A node that stops in the middle of a transaction must not hold the locks of its stores for long.
    idle_in_transaction_session_timeout: String(2 * settings.statement_timeout),
    // Compiling takes longer than any of our statements, and an estimate that is off can set it going.
    jit: 'off',
  }
  try {
    const found = await look(settings, wanted).catch(error => {
      if (isRefusedParameter(error)) return look(settings, {})
      throw error
    })
    refuseUnsafe(found, settings)
    // A page is planned once, not each time (0.4 ms, as long as it takes to read): its plan is the same for all
    // values. Citus needs the values to find the worker.
    if (!found.citus) wanted['plan_cache_mode'] = 'force_generic_plan'
    if (found.statement_timeout === wanted['statement_timeout']) {
      return { parameters: wanted, local: '', prepare: settings.prepare ?? true }
    }
  } catch (error) {
    throw translate(error)
  }
  const local = Object.entries(wanted).map(([name, value]) => `; set local ${name} = ${value}`)
  return { parameters: {}, local: local.join(''), prepare: settings.prepare ?? false }
}

interface Found {
  statement_timeout: string
  synchronous_commit: string
  citus: boolean
}

async function look(settings: Settings, parameters: Record<string, string>): Promise<Found> {
  const connection = await connect(settings, parameters)
  try {
    const [found] = await connection.query<Found>(
      `select
         (select setting from pg_settings where name = 'statement_timeout') as statement_timeout,
         current_setting('synchronous_commit') as synchronous_commit,
         exists (select 1 from pg_extension where extname = 'citus') as citus`,
    )
    return found as Found
  } finally {
    connection.destroy()
  }
}

function refuseUnsafe({ synchronous_commit }: Found, { username = 'tillgate' }: Settings): void {
  if (synchronous_commit !== 'off') return
  throw new Error(
    'synchronous_commit is off on this server, so an answered write could be lost; ' +
      `set it on for Tillgate's role: ALTER ROLE "${username}" SET synchronous_commit = on`,
  )
}
