import type { ClaimedPosition, DuePosition, DueScope, Webhooks } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'
import { firstAfter } from '../lists/list.ts'

/** Of endpoints that may be called, in stores that their app may read, behind the store; ?1 history. */
const from = `webhook_positions as known
  join stores on stores.id = known.store_id
  join webhook_endpoints on webhook_endpoints.id = known.endpoint_id
  join apps on apps.id = webhook_endpoints.app_id`
const isDue = `(stores.seq > known.seq or known.history <> ?1)
  and webhook_endpoints.disabled_at is null and instr(webhook_endpoints.events, 'store.changed') > 0
  and apps.disabled_at is null and not apps.webhooks_paused
  and exists (select 1 from authorization_stores as linked
    where linked.store_id = known.store_id and linked.app_id = webhook_endpoints.app_id)`

export function createPositions(db: Database): Pick<Webhooks, 'complete' | 'due' | 'claim'> {
  const complete = db.prepare(
    `insert into webhook_positions (store_id, endpoint_id, history, seq)
     select distinct linked.store_id, webhook_endpoints.id, '', 0
     from webhook_endpoints join authorization_stores as linked on linked.app_id = webhook_endpoints.app_id
     where webhook_endpoints.id = ?1
     on conflict do nothing`,
  )
  const prepareDue = (scope: string) =>
    db.prepare<DuePosition>(
      `select known.endpoint_id, known.store_id, max(known.next_at_ms, known.leased_until_ms) as next_at_ms from ${from}
       where ${scope} and ${isDue} and webhook_endpoints.retry_at_ms <= ?2
       order by known.store_id, known.endpoint_id limit ?4 + 0`,
      'bigint',
    )
  const ofStores = prepareDue('known.store_id in (select value from json_each(?3))')
  const above = prepareDue('stores.seq > ?3')
  const ofEndpoint = prepareDue('known.endpoint_id = ?3 and known.store_id >= ?5')
  const claim = db.prepare<ClaimedPosition>(
    `update webhook_positions set lease = ?5, leased_until_ms = ?6
     where endpoint_id = ?3 and store_id = ?4 and next_at_ms <= ?2 and leased_until_ms <= ?2
       and exists (select 1 from ${from} where known.endpoint_id = ?3 and known.store_id = ?4 and ${isDue})
     returning endpoint_id, store_id, (select stores.seq from stores where stores.id = store_id) as seq`,
    'bigint',
  )

  function rowsOf(scope: DueScope, history: string, now_ms: number, limit: number): DuePosition[] {
    if ('store_ids' in scope) return ofStores.all(history, now_ms, `[${scope.store_ids.join(',')}]`, limit)
    if ('above' in scope) return above.all(history, now_ms, scope.above, limit)
    return ofEndpoint.all(history, now_ms, scope.endpoint_id, limit, firstAfter(scope.after))
  }

  return {
    complete: endpoint_id =>
      db.write(() => {
        complete.run(endpoint_id)
      }),
    due: (scope, history, now_ms, limit) =>
      db.look(() => rowsOf(scope, history, now_ms, limit).map(row => ({ ...row }))),
    claim: (positions, history, { id, now_ms, until_ms }) =>
      db.write(() =>
        positions.flatMap(({ endpoint_id, store_id }) => {
          const row = claim.get(history, now_ms, endpoint_id, store_id, id, until_ms)
          return row ? [{ ...row }] : []
        }),
      ),
  }
}
