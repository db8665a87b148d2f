import type { DeliveryState, DuePosition, WebhookDeliveries, WebhookDelivery } from '../../port/index.ts'
import { readsChangesSql } from '../../shared/scopes.ts'
import { deliveryColumns, endpointColumns, type EndpointRow, toEndpoint } from '../../shared/webhooks.ts'
import type { Database } from '../connection/database.ts'

export function createDeliveries(db: Database): WebhookDeliveries {
  // A person may ask for the event of a store that the app cannot read any more.
  const lease = db.prepare<WebhookDelivery>(
    `update webhook_deliveries set lease = ?2, leased_until_ms = ?4
     where (endpoint_id, id) in (
       select endpoint_id, id from (
         select endpoint_id, webhook_deliveries.id,
           row_number() over (partition by endpoint_id order by created_at_ms, webhook_deliveries.id) as place
         from json_each(?1) as given
         cross join webhook_endpoints on webhook_endpoints.id = given.value
         join apps on apps.id = webhook_endpoints.app_id
         cross join webhook_deliveries indexed by webhook_deliveries_pending
           on webhook_deliveries.endpoint_id = webhook_endpoints.id
         where state = 'pending' and leased_until_ms <= ?3 and (urgent or retry_at_ms <= ?3)
           and webhook_endpoints.disabled_at is null and apps.disabled_at is null and not webhooks_paused
           and (store_id is null or exists (select 1 from authorization_stores as linked
             where linked.store_id = webhook_deliveries.store_id and linked.app_id = webhook_endpoints.app_id
               and ${readsChangesSql('linked.scope', 'apps.scope')})))
       where place <= ?5)
     returning ${deliveryColumns}`,
    'bigint',
  )
  const advance = db.prepare(
    `update webhook_positions set history = ?4, seq = ?5, next_at_ms = ?6, lease = null, leased_until_ms = 0
     where store_id = ?1 and endpoint_id = ?2 and lease = ?3`,
  )
  const release = db.prepare(
    `update webhook_positions set next_at_ms = ?4, lease = null, leased_until_ms = 0
     where store_id = ?1 and endpoint_id = ?2 and lease = ?3`,
  )
  const behind = db.prepare<DuePosition>(
    `select endpoint_id, store_id, next_at_ms from webhook_positions as known
     join stores on stores.id = known.store_id
     where store_id = ?1 and endpoint_id = ?2 and stores.seq > known.seq`,
    'bigint',
  )
  // Asked for again while this attempt was under way.
  const isResent = '(urgent and lease is not ?13)'
  const log = db.prepare(
    `insert into webhook_deliveries (endpoint_id, id, type, store_id, body, created_at_ms, state, attempts,
       attempted_at_ms, duration_ms, status, problem, answer)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?9, ?10, ?11, ?12)
     on conflict (endpoint_id, id) do update set attempts = attempts + 1,
       attempted_at_ms = excluded.attempted_at_ms, duration_ms = excluded.duration_ms, status = excluded.status,
       problem = excluded.problem, answer = excluded.answer, state = iif(${isResent}, state, excluded.state),
       urgent = ${isResent}, lease = iif(${isResent}, lease, null),
       leased_until_ms = iif(${isResent}, leased_until_ms, 0)`,
  )
  // Otherwise it would be pending for ever.
  const refuse = db.prepare(
    `update webhook_deliveries set state = 'failed', urgent = 0, problem = 'the app may not read the store any more'
     where state = 'pending' and store_id is not null and endpoint_id in (select value from json_each(?))
       and not exists (
         select 1 from authorization_stores as linked
         join webhook_endpoints on webhook_endpoints.app_id = linked.app_id
         join apps on apps.id = linked.app_id
         where linked.store_id = webhook_deliveries.store_id
           and webhook_endpoints.id = webhook_deliveries.endpoint_id
           and ${readsChangesSql('linked.scope', 'apps.scope')})`,
  )
  const exists = db.prepare('select 1 from webhook_endpoints where id = ?')
  const insert = db.prepare(
    `insert into webhook_deliveries (endpoint_id, id, type, store_id, body, created_at_ms, state, urgent)
     values (?, ?, ?, ?, ?, ?, 'pending', 1)`,
  )
  const again = db.prepare<WebhookDelivery>(
    `update webhook_deliveries set state = 'pending', urgent = 1, lease = null, leased_until_ms = 0 where id = ?
     returning ${deliveryColumns}`,
    'bigint',
  )
  const byId = db.prepare<WebhookDelivery>(
    `select ${deliveryColumns} from webhook_deliveries where id = ?`,
    'bigint',
  )
  const attempted = db.prepare(
    'select 1 from webhook_deliveries where endpoint_id = ? and attempts > 0 limit 1',
  )
  const newest = db.prepare<WebhookDelivery>(
    `select ${deliveryColumns} from webhook_deliveries where endpoint_id = ?
     order by created_at_ms desc, id desc limit ? + 0`,
    'bigint',
  )
  const trim = db.prepare(
    `delete from webhook_deliveries where endpoint_id = ?1 and state <> 'pending' and created_at_ms < (
       select created_at_ms from webhook_deliveries where endpoint_id = ?1
       order by created_at_ms desc, id desc limit 1 offset ?2 - 1)`,
  )
  const states = db.prepare<{ state: DeliveryState; count: number }>(
    `select state, count(*) as count from webhook_deliveries
     join webhook_endpoints on webhook_endpoints.id = endpoint_id group by state`,
  )
  const failing = db.prepare<EndpointRow & { app_name: string; problem: string | null }>(
    `select ${endpointColumns}, apps.name as app_name,
       (select problem from webhook_deliveries where endpoint_id = webhook_endpoints.id and problem is not null
        order by attempted_at_ms desc limit 1) as problem
     from webhook_endpoints join apps on apps.id = webhook_endpoints.app_id
     where failures > 0 or webhook_endpoints.disabled_at is not null
     order by coalesce(failing_since, webhook_endpoints.disabled_at), webhook_endpoints.id limit 100`,
  )
  const oldest = db.prepare<{ created_at_ms: number | null }>(
    `select min(created_at_ms) as created_at_ms from webhook_deliveries indexed by webhook_deliveries_pending
     join webhook_endpoints on webhook_endpoints.id = endpoint_id join apps on apps.id = webhook_endpoints.app_id
     where state = 'pending' and failures = 0 and webhook_endpoints.disabled_at is null
       and apps.disabled_at is null and not webhooks_paused`,
  )

  return {
    leasePending: (endpoint_ids, { id, now_ms, until_ms }, of_each) =>
      db.write(() => {
        const ids = JSON.stringify(endpoint_ids)
        refuse.run(ids)
        return lease.all(ids, id, now_ms, until_ms, of_each)
      }),
    settle: attempts =>
      db.write(() => {
        const moved: DuePosition[] = []
        for (const attempt of attempts) {
          const { endpoint_id, store_id, lease, position, state, attempted_at_ms } = attempt
          const next_at_ms = attempted_at_ms + 1000
          if (position && store_id !== null) {
            if (state === 'delivered')
              advance.run(store_id, endpoint_id, lease, position.history, position.seq, next_at_ms)
            else release.run(store_id, endpoint_id, lease, next_at_ms)
            moved.push(...behind.all(store_id, endpoint_id))
          }
          // It may have been deleted meanwhile.
          if (!exists.get(endpoint_id)) continue
          const { id, type, body, created_at_ms, duration_ms, status, problem, answer } = attempt
          const outcome = [attempted_at_ms, duration_ms, status, problem, answer]
          log.run(endpoint_id, id, type, store_id, body, created_at_ms, state, ...outcome, lease)
        }
        return moved
      }),
    add: ({ endpoint_id, id, type, store_id, body, created_at_ms }) =>
      db.write(() => {
        insert.run(endpoint_id, id, type, store_id, body, created_at_ms)
      }),
    resend: id => db.write(() => again.get(id) ?? null),
    delivery: id => db.query(() => byId.get(id) ?? null),
    deliveries: (endpoint_id, limit) => db.query(() => newest.all(endpoint_id, limit)),
    wasCalled: endpoint_id => db.query(() => attempted.get(endpoint_id) !== undefined),
    trim: (endpoint_ids, keep) =>
      db.write(() => {
        for (const endpoint_id of endpoint_ids) trim.run(endpoint_id, keep)
      }),
    summary: () =>
      db.snapshot(() => {
        const deliveries = { pending: 0, delivered: 0, failed: 0 }
        for (const { state, count } of states.all()) deliveries[state] = count
        return { deliveries, failing: failing.all().map(toEndpoint) }
      }),
    oldestPending: () => db.query(() => oldest.get()?.created_at_ms ?? null),
  }
}
