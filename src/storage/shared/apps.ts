import type { App } from '../port/index.ts'

/** A row of `apps`. SQLite has 0 and 1 for booleans. */
export type AppRow = Omit<App, 'redirect_uris' | 'public' | 'disabled_by_owner'> & {
  redirect_uris: string
  public: boolean | number
  disabled_by_owner: boolean | number
}

export const appColumns = `apps.id, apps.name, apps.website, apps.publisher, apps.scope, apps.redirect_uris, apps.public,
  apps.owner_id, apps.created_at, apps.disabled_at, apps.disabled_by_owner, apps.logo`

export const secretColumns = 'id, app_id, hash, created_at, last_used_at'

/** Takes the app's columns from a row that may have others. */
export const toApp = (row: AppRow): App => ({
  id: row.id,
  name: row.name,
  website: row.website,
  publisher: row.publisher,
  logo: row.logo,
  scope: row.scope,
  redirect_uris: JSON.parse(row.redirect_uris) as string[],
  public: Boolean(row.public),
  owner_id: row.owner_id,
  created_at: row.created_at,
  disabled_at: row.disabled_at,
  disabled_by_owner: Boolean(row.disabled_by_owner),
})
