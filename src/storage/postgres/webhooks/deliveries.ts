import type {
  Attempt,
  DeliveryState,
  DuePosition,
  WebhookDeliveries,
  WebhookDelivery,
} from '../../port/index.ts'
import { readsChangesSql } from '../../shared/scopes.ts'
import { deliveryColumns, endpointColumns, type EndpointRow, toEndpoint } from '../../shared/webhooks.ts'
import type { Database } from '../connection/database.ts'
import { runEach, type Statement } from './statements.ts'

/** Of endpoints that may be called; taking the lease repeats its condition, which decides between nodes. */
const pendingSql = `select endpoint_id, id, store_id, app_id from (
    select webhook_deliveries.endpoint_id, webhook_deliveries.id, webhook_deliveries.store_id, webhook_endpoints.app_id,
      row_number() over (
        partition by webhook_deliveries.endpoint_id order by created_at_ms, webhook_deliveries.id) as place
    from webhook_deliveries
    join webhook_endpoints on webhook_endpoints.id = webhook_deliveries.endpoint_id
    join apps on apps.id = webhook_endpoints.app_id
    where webhook_deliveries.endpoint_id = any ($1::text[]) and state = 'pending' and leased_until_ms <= $2
      and (urgent or retry_at_ms <= $2)
      and webhook_endpoints.disabled_at is null and apps.disabled_at is null and not webhooks_paused
  ) as pending where place <= $3`

const leaseSql = `update webhook_deliveries set lease = $3, leased_until_ms = $5
  where endpoint_id = $1 and id = $2 and state = 'pending' and leased_until_ms <= $4
  returning ${deliveryColumns}`

/** Otherwise it would stay the first of its endpoint, before all others. */
const refuseSql = `update webhook_deliveries set state = 'failed', urgent = false,
    problem = 'the app may not read the store any more'
  where endpoint_id = $1 and id = $2 and state = 'pending'`

const failingSql = `select ${endpointColumns}, apps.name as app_name
  from webhook_endpoints join apps on apps.id = webhook_endpoints.app_id
  where failures > 0 or webhook_endpoints.disabled_at is not null
  order by coalesce(failing_since, webhook_endpoints.disabled_at), webhook_endpoints.id limit 100`

const oldestSql = `select min(created_at_ms) as created_at_ms from webhook_deliveries
  join webhook_endpoints on webhook_endpoints.id = endpoint_id join apps on apps.id = webhook_endpoints.app_id
  where state = 'pending' and failures = 0 and webhook_endpoints.disabled_at is null
    and apps.disabled_at is null and not webhooks_paused`

interface Pending {
  endpoint_id: string
  id: string
  store_id: bigint | null
  app_id: string
}

export function createDeliveries(db: Database): WebhookDeliveries {
  /** A person may ask for the event of a store that the app cannot read any more. */
  async function isAllowed({ store_id, app_id }: Pending): Promise<boolean> {
    if (store_id === null) return true
    const rows = await db.query(
      `select 1 from authorization_stores as linked join apps on apps.id = linked.app_id
       where linked.store_id = $1 and linked.app_id = $2 and ${readsChangesSql('linked.scope', 'apps.scope')} limit 1`,
      [store_id, app_id],
    )
    return rows.length > 0
  }

  return {
    async leasePending(endpoint_ids, { id, now_ms, until_ms }, of_each) {
      const found = await db.query<Pending>(pendingSql, [endpoint_ids, now_ms, of_each])
      const allowed: Pending[] = []
      const refused: Statement[] = []
      for (const each of found) {
        if (await isAllowed(each)) allowed.push(each)
        else refused.push([refuseSql, [each.endpoint_id, each.id]])
      }
      await runEach(db, refused)
      const statements = allowed
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((each): Statement => [leaseSql, [each.endpoint_id, each.id, id, now_ms, until_ms]])
      return (await runEach<WebhookDelivery>(db, statements)).flatMap(rows => [...rows])
    },
    async settle(attempts) {
      const known = await existingIds(attempts)
      // Each statement concerns one shard: a store's position, or an endpoint's log.
      await runEach(db, [
        ...attempts.flatMap(positionOf),
        ...attempts.filter(({ endpoint_id }) => known.has(endpoint_id)).map(logOf),
      ])
      return movedSince(attempts)
    },
    async add({ endpoint_id, id, type, store_id, body, created_at_ms }) {
      await db.query(
        `insert into webhook_deliveries (endpoint_id, id, type, store_id, body, created_at_ms, state, urgent)
         values ($1, $2, $3, $4, $5, $6, 'pending', true)`,
        [endpoint_id, id, type, store_id, body, created_at_ms],
      )
    },
    async resend(id) {
      const [row] = await db.query<WebhookDelivery>(
        `update webhook_deliveries set state = 'pending', urgent = true, lease = null, leased_until_ms = 0 where id = $1
         returning ${deliveryColumns}`,
        [id],
      )
      return row ?? null
    },
    async delivery(id) {
      const [row] = await db.query<WebhookDelivery>(
        `select ${deliveryColumns} from webhook_deliveries where id = $1`,
        [id],
      )
      return row ?? null
    },
    async deliveries(endpoint_id, limit) {
      const rows = await db.query<WebhookDelivery>(
        `select ${deliveryColumns} from webhook_deliveries where endpoint_id = $1
         order by created_at_ms desc, id desc limit $2`,
        [endpoint_id, limit],
      )
      return [...rows]
    },
    async wasCalled(endpoint_id) {
      const [row] = await db.query(
        'select 1 from webhook_deliveries where endpoint_id = $1 and attempts > 0 limit 1',
        [endpoint_id],
      )
      return row !== undefined
    },
    async trim(endpoint_ids, keep) {
      await runEach(
        db,
        endpoint_ids.toSorted().map((endpoint_id): Statement => [trimSql, [endpoint_id, keep - 1]]),
      )
    },
    async summary() {
      const [states, failing] = await Promise.all([
        db.query<{ state: DeliveryState; count: number }>(
          `select state, count(*) as count from webhook_deliveries
           join webhook_endpoints on webhook_endpoints.id = endpoint_id group by state`,
        ),
        db.query<EndpointRow & { app_name: string }>(failingSql),
      ])
      const deliveries = { pending: 0, delivered: 0, failed: 0 }
      for (const { state, count } of states) deliveries[state] = count
      const problems = await lastProblems(failing.map(({ id }) => id))
      return {
        deliveries,
        failing: failing.map(row => ({ ...toEndpoint(row), problem: problems.get(row.id) ?? null })),
      }
    },
    async oldestPending() {
      const [row] = await db.query<{ created_at_ms: number | null }>(oldestSql)
      return row?.created_at_ms ?? null
    },
  }

  /** A statement of its own: Citus refuses it as a subquery of a reference table. */
  async function lastProblems(endpoint_ids: readonly string[]): Promise<Map<string, string>> {
    if (endpoint_ids.length === 0) return new Map()
    const rows = await db.query<{ endpoint_id: string; problem: string }>(
      `select distinct on (endpoint_id) endpoint_id, problem from webhook_deliveries
       where endpoint_id = any ($1::text[]) and problem is not null
       order by endpoint_id, attempted_at_ms desc nulls last`,
      [endpoint_ids],
    )
    return new Map(rows.map(({ endpoint_id, problem }) => [endpoint_id, problem]))
  }

  /** One may have been deleted meanwhile. */
  async function existingIds(attempts: readonly Attempt[]): Promise<Set<string>> {
    const ids = [...new Set(attempts.map(({ endpoint_id }) => endpoint_id))]
    const rows = await db.query<{ id: string }>(
      'select id from webhook_endpoints where id = any ($1::text[])',
      [ids],
    )
    return new Set(rows.map(({ id }) => id))
  }

  async function movedSince(attempts: readonly Attempt[]): Promise<DuePosition[]> {
    const pairs = attempts.filter(({ position, store_id }) => position !== null && store_id !== null)
    if (pairs.length === 0) return []
    const sent = new Set(pairs.map(({ endpoint_id, store_id }) => `${endpoint_id} ${store_id}`))
    const rows = await db.query<DuePosition>(
      `select known.endpoint_id, known.store_id, known.next_at_ms from webhook_positions as known
       join stores on stores.id = known.store_id
       where known.store_id = any ($1::bigint[]) and known.endpoint_id = any ($2::text[]) and stores.seq > known.seq`,
      [pairs.map(({ store_id }) => store_id), pairs.map(({ endpoint_id }) => endpoint_id)],
    )
    return rows.filter(({ endpoint_id, store_id }) => sent.has(`${endpoint_id} ${store_id}`))
  }
}

function positionOf({
  store_id,
  endpoint_id,
  lease,
  position,
  state,
  attempted_at_ms,
}: Attempt): Statement[] {
  if (position === null || store_id === null) return []
  const next_at_ms = attempted_at_ms + 1000
  return state === 'delivered'
    ? [[advanceSql, [store_id, endpoint_id, lease, next_at_ms, position.history, position.seq]]]
    : [[releaseSql, [store_id, endpoint_id, lease, next_at_ms]]]
}

const advanceSql = `update webhook_positions
  set history = $5, seq = $6, next_at_ms = $4, lease = null, leased_until_ms = 0
  where store_id = $1 and endpoint_id = $2 and lease = $3`

const releaseSql = `update webhook_positions set next_at_ms = $4, lease = null, leased_until_ms = 0
  where store_id = $1 and endpoint_id = $2 and lease = $3`

/** Asked for again while this attempt was under way. */
const isResent = '(webhook_deliveries.urgent and webhook_deliveries.lease is distinct from $13)'

function logOf(attempt: Attempt): Statement {
  const { endpoint_id, id, type, store_id, body, created_at_ms, state } = attempt
  const { attempted_at_ms, duration_ms, status, problem, answer } = attempt
  return [
    `insert into webhook_deliveries (endpoint_id, id, type, store_id, body, created_at_ms, state, attempts,
       attempted_at_ms, duration_ms, status, problem, answer)
     values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, $11, $12)
     on conflict (endpoint_id, id) do update set attempts = webhook_deliveries.attempts + 1,
       attempted_at_ms = excluded.attempted_at_ms, duration_ms = excluded.duration_ms, status = excluded.status,
       problem = excluded.problem, answer = excluded.answer,
       state = case when ${isResent} then webhook_deliveries.state else excluded.state end,
       urgent = ${isResent}, lease = case when ${isResent} then webhook_deliveries.lease end,
       leased_until_ms = case when ${isResent} then webhook_deliveries.leased_until_ms else 0 end`,
    [
      endpoint_id,
      id,
      type,
      store_id,
      body,
      created_at_ms,
      state,
      attempted_at_ms,
      duration_ms,
      status,
      problem,
      answer,
      attempt.lease,
    ],
  ]
}

const trimSql = `delete from webhook_deliveries where endpoint_id = $1 and state <> 'pending' and created_at_ms < (
  select created_at_ms from webhook_deliveries where endpoint_id = $1
  order by created_at_ms desc, id desc limit 1 offset $2)`
