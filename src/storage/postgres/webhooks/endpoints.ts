import { maxInt64, minInt64 } from '../../../lib/int64.ts'
import type { ActiveEndpoint, WebhookEndpoints } from '../../port/index.ts'
import { firstAfter } from '../../shared/list.ts'
import { endpointColumns, type EndpointRow, toEndpoint } from '../../shared/webhooks.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { Transaction } from '../connection/transaction.ts'

/** Nobody else knows the new endpoint yet, so nothing conflicts; ON CONFLICT would cost more for each of many stores. */
const beginSql = `insert into webhook_positions (store_id, endpoint_id, history, seq)
  select distinct stores.id, $1, feed.history, stores.seq
  from stores join authorization_stores as linked on linked.store_id = stores.id cross join feed
  where linked.app_id = $2 and stores.id between $3 and $4`

/** Positions that one statement writes: an app may have so many stores that a single one would meet the timeout. */
const step = 10_000
const lastSql = `select store_id from authorization_stores where app_id = $1 and store_id >= $2
  order by store_id limit 1 offset ${step - 1}`

async function beginAll(tx: Transaction, id: string, app_id: string): Promise<void> {
  for (let from: bigint | null = minInt64; from !== null; ) {
    const [last]: { store_id: bigint }[] = await tx.query<{ store_id: bigint }>(lastSql, [app_id, from])
    tx.send(beginSql, [id, app_id, from, last?.store_id ?? maxInt64])
    from = last ? firstAfter(last.store_id) : null
  }
}

export function createEndpoints(db: Database): WebhookEndpoints {
  return {
    create: ({ id, app_id, url, events, secret, created_at }, limit, audit) =>
      db.write(async tx => {
        // Without the lock, two creations at once could pass the limit.
        tx.send('select 1 from apps where id = $1 for update', [app_id])
        const [row] = await tx.query<{ count: number }>(
          'select count(*) from webhook_endpoints where app_id = $1',
          [app_id],
        )
        if ((row?.count ?? 0) >= limit) return false
        tx.send(
          `insert into webhook_endpoints (id, app_id, url, events, secret, created_at)
           values ($1, $2, $3, $4, $5, $6)`,
          [id, app_id, url, events.join(' '), secret, created_at],
        )
        await beginAll(tx, id, app_id)
        writeAudit(tx, audit)
        return true
      }),
    async find(id) {
      const [row] = await db.query<EndpointRow>(
        `select ${endpointColumns} from webhook_endpoints where id = $1`,
        [id],
      )
      return row ? toEndpoint(row) : null
    },
    async ofApp(app_id) {
      const rows = await db.query<EndpointRow>(
        `select ${endpointColumns} from webhook_endpoints where app_id = $1 order by created_at, id`,
        [app_id],
      )
      return rows.map(toEndpoint)
    },
    async active(ids) {
      const rows = await db.query<EndpointRow & Pick<ActiveEndpoint, 'scope' | 'access_version'>>(
        `select ${endpointColumns}, apps.scope, access_version from webhook_endpoints join apps on apps.id = app_id
         where ${ids ? 'webhook_endpoints.id = any ($1::text[]) and' : ''} webhook_endpoints.disabled_at is null
           and apps.disabled_at is null and not webhooks_paused
         order by webhook_endpoints.id`,
        ids ? [ids] : [],
      )
      return rows.map(toEndpoint)
    },
    rotateSecret: (id, secret, previous_until, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `update webhook_endpoints set previous_secret = secret, previous_until = $2, secret = $3 where id = $1`,
          [id, previous_until, secret],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    setDisabled: (id, disabled, audit) =>
      db.write(async tx => {
        const { count } = disabled
          ? await tx.query(
              `update webhook_endpoints set disabled_at = $2, reason = $3 where id = $1 and disabled_at is null`,
              [id, disabled.at, disabled.reason],
            )
          : await tx.query(
              `update webhook_endpoints
               set disabled_at = null, reason = null, failures = 0, failing_since = null, retry_at_ms = 0
               where id = $1 and disabled_at is not null`,
              [id],
            )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    remove: (id, audit) =>
      db.write(async tx => {
        const { count } = await tx.query('delete from webhook_endpoints where id = $1', [id])
        if (count === 0) return false
        tx.send('delete from webhook_positions where endpoint_id = $1', [id])
        tx.send('delete from webhook_deliveries where endpoint_id = $1', [id])
        writeAudit(tx, audit)
        return true
      }),
    async isPaused(app_id) {
      const rows = await db.query('select 1 from apps where id = $1 and webhooks_paused', [app_id])
      return rows.length === 1
    },
    setPaused: (app_id, paused, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          'update apps set webhooks_paused = $2::boolean where id = $1 and webhooks_paused <> $2::boolean',
          [app_id, paused],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    async report({ endpoint_id, failures, failed }) {
      const { count } = failed
        ? await db.query(
            `update webhook_endpoints set failures = failures + 1, failing_since = coalesce(failing_since, $3),
               retry_at_ms = $4, disabled_at = case when $5::text is null then null else $3::bigint end,
               reason = $5::text
             where id = $1 and failures = $2 and disabled_at is null`,
            [endpoint_id, failures, failed.at, failed.retry_at_ms, failed.disable],
          )
        : await db.query(
            `update webhook_endpoints set failures = 0, failing_since = null, retry_at_ms = 0
             where id = $1 and failures > 0 and disabled_at is null`,
            [endpoint_id],
          )
      return count === 1
    },
  }
}
