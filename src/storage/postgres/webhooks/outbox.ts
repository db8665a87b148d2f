import { type AuthorizationChange, eventsOf } from '../../shared/webhooks.ts'
import type { Transaction } from '../connection/transaction.ts'

interface Endpoint {
  id: string
  app_id: string
  events: string
  disabled_at: number | null
}

/**
 * Records changes of authorizations, in their transaction and after their rows are written: the next revision, the
 * events for the app's endpoints, where the endpoints begin in the stores that were added, and that the app may read more.
 */
export async function recordAuthorizationChanges(
  tx: Transaction,
  changes: readonly AuthorizationChange[],
  now_ms: number,
): Promise<void> {
  if (changes.length === 0) return
  const idsOf = (some: readonly AuthorizationChange[]) => some.map(({ authorization_id }) => authorization_id)
  const moved = changes.filter(({ event }) => event !== 'authorization.granted')
  if (moved.length > 0) {
    tx.send('update authorizations set revision = revision + 1 where id = any ($1::text[])', [idsOf(moved)])
  }
  // In one round trip: the authorization is locked, and others of the app may wait for it.
  const added = changes.flatMap(change => change.added)
  const [rows, endpoints, covered] = await Promise.all([
    tx.query<{ id: string; app_id: string; revision: number }>(
      'select id, app_id, revision from authorizations where id = any ($1::text[])',
      [idsOf(changes)],
    ),
    tx.query<Endpoint>(
      `select id, app_id, events, disabled_at from webhook_endpoints
       where app_id in (select app_id from authorizations where id = any ($1::text[]))`,
      [idsOf(changes)],
    ),
    added.length === 0 ? [] : tx.query(coveredSql, [added, idsOf(changes)]),
  ])
  const found = new Map(rows.map(row => [row.id, row]))
  const app_ids = [...new Set(rows.map(({ app_id }) => app_id))]
  if (endpoints.length === 0) return
  // Before the positions: Citus refuses to change a reference table after shards of another one.
  if (covered.length > 0 || changes.some(({ rescoped }) => rescoped)) {
    tx.send(
      'update webhook_endpoints set access_version = access_version + 1 where app_id = any ($1::text[])',
      [app_ids],
    )
  }
  for (const app_id of app_ids) {
    const ofApp = changes.filter(change => found.get(change.authorization_id)?.app_id === app_id)
    movePositions(tx, app_id, endpoints, ofApp)
  }
  const stores = await tx.query<{ authorization_id: string; store_id: bigint }>(
    `select authorization_id, store_id from authorization_stores
     where authorization_id = any ($1::text[]) order by store_id`,
    [idsOf(changes)],
  )
  const storesOf = Map.groupBy(stores, row => row.authorization_id)
  const recorded = changes.flatMap(({ authorization_id, event, removed }) => {
    const row = found.get(authorization_id)
    const now = (storesOf.get(authorization_id) ?? []).map(({ store_id }) => store_id)
    const store_ids = event === 'authorization.revoked' ? removed : now
    return row ? [{ authorization_id, app_id: row.app_id, revision: row.revision, event, store_ids }] : []
  })
  const enabled = endpoints.filter(({ disabled_at }) => disabled_at === null)
  // One statement for each row: Citus then sends it to the shard of its endpoint.
  for (const { endpoint_id, id, type, body, created_at_ms } of eventsOf(recorded, enabled, now_ms)) {
    tx.send(
      `insert into webhook_deliveries (endpoint_id, id, type, body, created_at_ms, state)
       values ($1, $2, $3, $4, $5, 'pending') on conflict (endpoint_id, id) do nothing`,
      [endpoint_id, id, type, body, created_at_ms],
    )
  }
}

function movePositions(
  tx: Transaction,
  app_id: string,
  endpoints: readonly Endpoint[],
  changes: readonly AuthorizationChange[],
): void {
  const endpoint_ids = endpoints.filter(endpoint => endpoint.app_id === app_id).map(({ id }) => id)
  if (endpoint_ids.length === 0) return
  const added = changes.flatMap(change => change.added)
  const removed = changes.flatMap(change => change.removed)
  if (added.length > 0) tx.send(beginSql, [added, app_id])
  // Another authorization of the app may still cover the store.
  if (removed.length > 0) {
    tx.send(
      `delete from webhook_positions where store_id = any ($1::bigint[]) and endpoint_id = any ($2::text[])
         and not exists (select 1 from authorization_stores as linked
           where linked.store_id = webhook_positions.store_id and linked.app_id = $3)`,
      [removed, endpoint_ids, app_id],
    )
  }
}

/** Whether another authorization of the app covered one of the stores before, perhaps with fewer scopes. */
const coveredSql = `select 1 from authorization_stores as other
  where other.store_id = any ($1::bigint[]) and other.authorization_id <> all ($2::text[])
    and other.app_id in (select app_id from authorizations where id = any ($2::text[]))
  limit 1`

const beginSql = `insert into webhook_positions (store_id, endpoint_id, history, seq)
  select stores.id, webhook_endpoints.id, feed.history, stores.seq
  from stores cross join webhook_endpoints cross join feed
  where stores.id = any ($1::bigint[]) and webhook_endpoints.app_id = $2
  on conflict (store_id, endpoint_id) do nothing`
