import type { Seconds } from '../lib/clock.ts'
import type { App, AppSecret, ClientFacts } from './port.ts'

/**
 * The same on both engines: a row for each secret of the app, or one without; where there is no such app its columns
 * are null. `id` is the placeholder of the client's id.
 */
export const clientFactsSql = (appColumns: string, id: string): string => `
  select ${appColumns},
    app_secrets.id as secret_id, app_secrets.hash as secret_hash,
    app_secrets.created_at as secret_created_at, app_secrets.last_used_at as secret_used_at,
    (select string_agg(keys.id || ':' || coalesce(keys.retired_at, 0), ' ') from keys) as keys
  from (select 1) as one
    left join apps on apps.id = ${id}
    left join app_secrets on app_secrets.app_id = apps.id
  order by app_secrets.created_at desc, app_secrets.id desc`

/** The app as the engine has it in its columns, and what stands beside it. */
export type ClientRow<AppRow> = AppRow & {
  secret_id: string | null
  secret_hash: string
  secret_created_at: Seconds
  secret_used_at: Seconds | null
  keys: string | null
}

export function clientFactsOf<AppRow extends { id: string | null }>(
  rows: readonly ClientRow<AppRow>[],
  toApp: (row: AppRow) => App,
): ClientFacts {
  const [
    { secret_id: _id, secret_hash: _hash, secret_created_at: _at, secret_used_at: _used, keys, ...app },
  ] = rows as readonly [ClientRow<AppRow>]
  return {
    app: app.id === null ? null : toApp(app as unknown as AppRow),
    secrets: rows.flatMap(secretOf),
    keys: keys ?? '',
  }
}

function secretOf({
  id,
  secret_id,
  secret_hash,
  secret_created_at,
  secret_used_at,
}: ClientRow<{ id: string | null }>): AppSecret[] {
  if (id === null || secret_id === null) return []
  return [
    {
      id: secret_id,
      app_id: id,
      hash: secret_hash,
      created_at: secret_created_at,
      last_used_at: secret_used_at,
    },
  ]
}
