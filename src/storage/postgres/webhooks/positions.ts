import type { LeasedPosition, DuePosition, DueScope, WebhookPositions } from '../../port/index.ts'
import { firstAfter } from '../../shared/list.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import { readsChangesSql } from '../../shared/scopes.ts'
import type { Database } from '../connection/database.ts'
import { runEach, type Statement } from './statements.ts'

/**
 * Of endpoints that may be called, in stores whose changes their app may read, behind the store; $1 history. `ofLink`: a
 * further condition for the links to the stores.
 */
const isDue = (ofLink = '') => `(stores.seq > known.seq or known.history <> $1)
  and webhook_endpoints.disabled_at is null and strpos(webhook_endpoints.events, 'store.changed') > 0
  and apps.disabled_at is null and not apps.webhooks_paused
  and exists (select 1 from authorization_stores as linked
    where linked.store_id = known.store_id ${ofLink} and linked.app_id = webhook_endpoints.app_id
      and ${readsChangesSql('linked.scope', 'apps.scope')})`

const dueSql = (scope: string, ofLink?: string) =>
  `select known.endpoint_id, known.store_id, greatest(known.next_at_ms, known.leased_until_ms) as next_at_ms from webhook_positions as known
   join stores on stores.id = known.store_id
   join webhook_endpoints on webhook_endpoints.id = known.endpoint_id
   join apps on apps.id = webhook_endpoints.app_id
   where ${scope} and ${isDue(ofLink)} and webhook_endpoints.retry_at_ms <= $2
   order by known.store_id, known.endpoint_id limit $4`

/** Citus goes to the shards of these stores only when each distributed table names them. */
const ofStores = dueSql(
  'known.store_id = any ($3::bigint[]) and stores.id = any ($3::bigint[])',
  'and linked.store_id = any ($3::bigint[])',
)
/** The stores that moved first: of tables that nobody has analyzed, the planner would begin with all positions. */
const above = dueSql('known.store_id = any (array(select id from stores as moved where moved.seq > $3))')
/** On Citus each worker compares its own shards. */
const aboveOnCitus = dueSql('stores.seq > $3')
const ofEndpoint = dueSql('known.endpoint_id = $3 and known.store_id >= $5')

function statementOf(
  isCitus: boolean,
  scope: DueScope,
  history: string,
  now_ms: number,
  limit: number,
): Statement {
  if ('store_ids' in scope) return [ofStores, [history, now_ms, scope.store_ids, limit]]
  if ('above' in scope) return [isCitus ? aboveOnCitus : above, [history, now_ms, scope.above, limit]]
  return [ofEndpoint, [history, now_ms, scope.endpoint_id, limit, firstAfter(scope.after)]]
}

const leaseSql = `update webhook_positions as known set lease = $5, leased_until_ms = $6
  from stores, webhook_endpoints, apps
  where known.store_id = $3 and known.endpoint_id = any ($4::text[]) and known.next_at_ms <= $2 and known.leased_until_ms <= $2
    and stores.id = known.store_id and stores.id = $3
    and webhook_endpoints.id = known.endpoint_id and apps.id = webhook_endpoints.app_id and ${isDue()}
  returning known.endpoint_id, known.store_id, stores.seq,
    (select string_agg(linked.scope, ' ') from authorization_stores as linked
     where linked.store_id = $3 and linked.app_id = webhook_endpoints.app_id) as scope`

export function createPositions(db: Database): WebhookPositions {
  return {
    async complete(endpoint_id) {
      await db.query(
        `insert into webhook_positions (store_id, endpoint_id, history, seq)
         select distinct linked.store_id, webhook_endpoints.id, '', 0::bigint
         from authorization_stores as linked join webhook_endpoints on webhook_endpoints.app_id = linked.app_id
         where webhook_endpoints.id = $1
         on conflict (store_id, endpoint_id) do nothing`,
        [endpoint_id],
      )
    },
    async due(...given) {
      const [sql, values] = statementOf(db.citus, ...given)
      return [...(await db.query<DuePosition>(sql, values))]
    },
    async lease(positions, history, { id, now_ms, until_ms }) {
      const ofStore = Map.groupBy(positions, ({ store_id }) => store_id)
      // In the order of the stores: two nodes that lease the same wait for each other, and never deadlock.
      const statements = sortedIds(ofStore.keys()).map((store_id): Statement => {
        const endpoint_ids = (ofStore.get(store_id) ?? []).map(({ endpoint_id }) => endpoint_id)
        return [leaseSql, [history, now_ms, store_id, endpoint_ids, id, until_ms]]
      })
      return (await runEach<LeasedPosition>(db, statements)).flatMap(rows => [...rows])
    },
  }
}
