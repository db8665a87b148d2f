import type { Seconds } from '../../lib/clock.ts'
import type { AppSecret, ClientFacts } from '../port/index.ts'
import { appColumns, type AppRow, toApp } from './apps.ts'

/**
 * A row for each secret of the app, or one row without a secret; an unknown app has null columns. `id` is the
 * placeholder of the client id; Citus finds the shard of the secrets by it. There are at most two secrets, so their
 * order does not matter.
 */
export const clientFactsSql = (id: string): string => `
  select ${appColumns},
    app_secrets.id as secret_id, app_secrets.hash as secret_hash,
    app_secrets.created_at as secret_created_at, app_secrets.last_used_at as secret_used_at,
    (select string_agg(keys.id || ':' || coalesce(keys.retired_at, 0), ' ') from keys) as keys_state
  from (select 1) as one
    left join apps on apps.id = ${id}
    left join app_secrets on app_secrets.app_id = ${id}`

/** The columns beside those of the app. */
interface SecretColumns {
  secret_id: string | null
  secret_hash: string
  secret_created_at: Seconds
  secret_used_at: Seconds | null
  keys_state: string | null
}

/** `id` is null for an unknown app. */
export type ClientRow = (AppRow | { id: null }) & SecretColumns

export function clientFactsOf(client_id: string, rows: readonly ClientRow[]): ClientFacts {
  const [first] = rows
  return {
    client_id,
    app: first && hasApp(first) ? toApp(first) : null,
    secrets: rows.flatMap(row => secretOf(client_id, row)).sort(newestFirst),
    keys_state: first?.keys_state ?? '',
  }
}

const hasApp = (row: ClientRow): row is AppRow & SecretColumns => row.id !== null

function secretOf(app_id: string, row: SecretColumns): AppSecret[] {
  const { secret_id: id, secret_hash: hash, secret_created_at: created_at, secret_used_at } = row
  return id === null ? [] : [{ id, app_id, hash, created_at, last_used_at: secret_used_at }]
}

/** The order of `apps.secrets`. */
const newestFirst = (a: AppSecret, b: AppSecret): number =>
  b.created_at - a.created_at || (a.id < b.id ? 1 : -1)
