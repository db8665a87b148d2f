import { connect } from './connection.ts'
import { isRefusedParameter, translate } from './errors.ts'
import type { Settings } from './settings.ts'

/** The state that a session can keep: settings and prepared statements; behind a pooler, none. */
export interface Session {
  /** Startup parameters of a connection. */
  parameters: Record<string, string>
  /** SQL to append to BEGIN; empty when the startup parameters suffice. */
  local: string
  /** Whether statements are prepared. */
  prepare: boolean
  /** Whether the server has Citus. */
  citus: boolean
}

/**
 * Startup parameters cost nothing per statement. A pooler in transaction mode refuses or drops them, and a setting of
 * the session would reach other clients there, so each transaction then sets its own.
 */
export async function negotiateSession(settings: Settings): Promise<Session> {
  const wanted: Record<string, string> = {
    statement_timeout: String(settings.statement_timeout),
    // A node that hangs inside a transaction must not hold the locks of its stores for long.
    idle_in_transaction_session_timeout: String(2 * settings.statement_timeout),
    // Compiling takes longer than any statement here, and a wrong row estimate can trigger it.
    jit: 'off',
  }
  let citus: boolean
  try {
    const found = await probe(settings, wanted).catch(error => {
      if (isRefusedParameter(error)) return probe(settings, {})
      throw error
    })
    refuseUnsafe(found, settings)
    citus = found.citus
    // The plan of a page is the same for all values, and planning takes as long as reading it (0.4 ms). Citus needs
    // the values to find the worker.
    if (!citus) wanted['plan_cache_mode'] = 'force_generic_plan'
    // By default a slow statement about several stores opens more connections to a worker, and the next statement of its
    // transaction fails: "placements that were modified over multiple connections".
    else wanted['citus.multi_shard_modify_mode'] = 'sequential'
    if (found.statement_timeout === wanted['statement_timeout']) {
      return { parameters: wanted, local: '', prepare: settings.prepare ?? true, citus }
    }
  } catch (error) {
    throw translate(error)
  }
  const local = Object.entries(wanted).map(([name, value]) => `; set local ${name} = ${value}`)
  return { parameters: {}, local: local.join(''), prepare: settings.prepare ?? false, citus }
}

/** SQL_ASCII stores the bytes as they are. */
export const holdsAllText = (encoding: string): boolean => ['UTF8', 'SQL_ASCII'].includes(encoding)
export const encodingProblem = (encoding: string): string =>
  `the database has the encoding ${encoding}, which cannot hold every name of an item or store`
export const encodingRemedy = "create the database with ENCODING 'UTF8' TEMPLATE template0"

interface Found {
  statement_timeout: string
  synchronous_commit: string
  server_encoding: string
  citus: boolean
}

async function probe(settings: Settings, parameters: Record<string, string>): Promise<Found> {
  const connection = await connect(settings, parameters)
  try {
    const [found] = await connection.query<Found>(
      `select
         (select setting from pg_settings where name = 'statement_timeout') as statement_timeout,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('server_encoding') as server_encoding,
         exists (select 1 from pg_extension where extname = 'citus') as citus`,
    )
    return found as Found
  } finally {
    connection.destroy()
  }
}

function refuseUnsafe(
  { synchronous_commit, server_encoding }: Found,
  { username = 'tillgate' }: Settings,
): void {
  if (!holdsAllText(server_encoding))
    throw new Error(`${encodingProblem(server_encoding)}; ${encodingRemedy}`)
  if (synchronous_commit !== 'off') return
  throw new Error(
    'synchronous_commit is off on this server, so an acknowledged write could be lost; ' +
      `set it on for Tillgate's role: ALTER ROLE "${username}" SET synchronous_commit = on`,
  )
}
