import { connect } from './connection.ts'
import { isRefusedParameter, translate } from './errors.ts'
import type { Settings } from './settings.ts'

/** How the session's settings reach the server: with each connection, or else with each transaction. */
export interface Session {
  /** Sent when a connection starts. */
  parameters: Record<string, string>
  /** To be added to BEGIN; empty when the parameters do. */
  local: string
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
    if (found.synchronous_commit === 'off') {
      throw new Error(
        'synchronous_commit is off on this server, so an answered write could be lost; ' +
          `set it on for Tillgate's role: ALTER ROLE "${settings.username ?? 'tillgate'}" SET synchronous_commit = on`,
      )
    }
    if (found.statement_timeout === wanted['statement_timeout']) return { parameters: wanted, local: '' }
  } catch (error) {
    throw translate(error)
  }
  const local = Object.entries(wanted).map(([name, value]) => `; set local ${name} = ${value}`)
  return { parameters: {}, local: local.join('') }
}

async function look(settings: Settings, parameters: Record<string, string>): Promise<Record<string, string>> {
  const connection = await connect(settings, parameters)
  try {
    const rows = await connection.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('statement_timeout', 'synchronous_commit')`,
    )
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  } finally {
    connection.destroy()
  }
}
