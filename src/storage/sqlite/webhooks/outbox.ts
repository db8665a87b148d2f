import { type AuthorizationChange, eventsOf } from '../../shared/webhooks.ts'
import type { Database } from '../connection/database.ts'

/**
 * Records changes of authorizations, in their transaction and after their rows are written: the next revision, the
 * events for the app's endpoints, where the endpoints begin in the stores that were added, and that the app may read more.
 */
export type RecordAuthorizationChanges = (changes: readonly AuthorizationChange[], now_ms: number) => void

export function createOutbox(db: Database): RecordAuthorizationChanges {
  const current = db.prepare<{ app_id: string; revision: number }>(
    'select app_id, revision from authorizations where id = ?',
  )
  const next = db.prepare<{ app_id: string; revision: number }>(
    'update authorizations set revision = revision + 1 where id = ? returning app_id, revision',
  )
  const endpointsOf = db.prepare<{ id: string; app_id: string; events: string; disabled_at: number | null }>(
    'select id, app_id, events, disabled_at from webhook_endpoints where app_id = ?',
  )
  const storesOf = db.prepare<{ store_id: bigint }>(
    'select store_id from authorization_stores where authorization_id = ? order by store_id',
    'bigint',
  )
  const begin = db.prepare(
    `insert into webhook_positions (store_id, endpoint_id, history, seq)
     select stores.id, ?2, feed.history, stores.seq from stores cross join feed where stores.id = ?1
     on conflict do nothing`,
  )
  // Another authorization of the app may still cover the store.
  const end = db.prepare(
    `delete from webhook_positions where store_id = ?1 and endpoint_id = ?2
       and not exists (select 1 from authorization_stores where store_id = ?1 and app_id = ?3)`,
  )
  const widen = db.prepare('update webhook_endpoints set access_version = access_version + 1 where id = ?')
  const insert = db.prepare(
    `insert into webhook_deliveries (endpoint_id, id, type, body, created_at_ms, state)
     values (?, ?, ?, ?, ?, 'pending') on conflict do nothing`,
  )

  return (changes, now_ms) => {
    for (const { authorization_id, event, added, removed, rescoped } of changes) {
      const found = (event === 'authorization.granted' ? current : next).get(authorization_id)
      if (!found) continue
      const { app_id, revision } = found
      const endpoints = endpointsOf.all(app_id)
      for (const { id } of endpoints) {
        const begun = added.filter(store_id => begin.run(store_id, id).changes === 1)
        for (const store_id of removed) end.run(store_id, id, app_id)
        // A store with a position was covered by another authorization, perhaps with fewer scopes.
        if (rescoped || begun.length < added.length) widen.run(id)
      }
      const store_ids =
        event === 'authorization.revoked'
          ? removed
          : storesOf.all(authorization_id).map(({ store_id }) => store_id)
      const enabled = endpoints.filter(({ disabled_at }) => disabled_at === null)
      const change = { authorization_id, app_id, revision, event, store_ids }
      for (const { endpoint_id, id, type, body, created_at_ms } of eventsOf([change], enabled, now_ms))
        insert.run(endpoint_id, id, type, body, created_at_ms)
    }
  }
}
