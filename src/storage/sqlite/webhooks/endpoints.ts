import type { ActiveEndpoint, WebhookEndpoints } from '../../port/index.ts'
import { endpointColumns, type EndpointRow, toEndpoint } from '../../shared/webhooks.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

export function createEndpoints(db: Database, writeAudit: WriteAudit): WebhookEndpoints {
  const byId = db.prepare<EndpointRow>(`select ${endpointColumns} from webhook_endpoints where id = ?`)
  const byApp = db.prepare<EndpointRow>(
    `select ${endpointColumns} from webhook_endpoints where app_id = ? order by created_at, id`,
  )
  const prepareActive = (scope: string) =>
    db.prepare<EndpointRow & Pick<ActiveEndpoint, 'scope' | 'access_version'>>(
      `select ${endpointColumns}, apps.scope, access_version from webhook_endpoints join apps on apps.id = app_id
       where ${scope} webhook_endpoints.disabled_at is null and apps.disabled_at is null and not webhooks_paused
       order by webhook_endpoints.id`,
    )
  const allActive = prepareActive('')
  const active = prepareActive('webhook_endpoints.id in (select value from json_each(?)) and')
  const insert = db.prepare(
    `insert into webhook_endpoints (id, app_id, url, events, secret, created_at) values (?, ?, ?, ?, ?, ?)`,
  )
  const begin = db.prepare(
    `insert into webhook_positions (store_id, endpoint_id, history, seq)
     select distinct stores.id, ?1, feed.history, stores.seq
     from authorization_stores as linked join stores on stores.id = linked.store_id cross join feed
     where linked.app_id = ?2`,
  )
  const rotate = db.prepare(
    `update webhook_endpoints set previous_secret = secret, previous_until = ?2, secret = ?3 where id = ?1`,
  )
  const disable = db.prepare(
    `update webhook_endpoints set disabled_at = ?2, reason = ?3 where id = ?1 and disabled_at is null`,
  )
  const enable = db.prepare(
    `update webhook_endpoints
     set disabled_at = null, reason = null, failures = 0, failing_since = null, retry_at_ms = 0
     where id = ?1 and disabled_at is not null`,
  )
  const removals = ['webhook_positions', 'webhook_deliveries'].map(table =>
    db.prepare(`delete from ${table} where endpoint_id = ?`),
  )
  const remove = db.prepare('delete from webhook_endpoints where id = ?')
  const paused = db.prepare<{ webhooks_paused: number }>('select webhooks_paused from apps where id = ?')
  const pause = db.prepare('update apps set webhooks_paused = ?2 where id = ?1 and webhooks_paused <> ?2')
  const succeed = db.prepare(
    `update webhook_endpoints set failures = 0, failing_since = null, retry_at_ms = 0
     where id = ?1 and failures > 0 and disabled_at is null`,
  )
  const fail = db.prepare(
    `update webhook_endpoints set failures = failures + 1, failing_since = coalesce(failing_since, ?3),
       retry_at_ms = ?4, disabled_at = case when ?5 is null then null else ?3 end, reason = ?5
     where id = ?1 and failures = ?2 and disabled_at is null`,
  )

  return {
    create: (endpoint, limit, audit) =>
      db.write(() => {
        const { id, app_id, url, events, secret, created_at } = endpoint
        if (byApp.all(app_id).length >= limit) return false
        insert.run(id, app_id, url, events.join(' '), secret, created_at)
        begin.run(id, app_id)
        writeAudit(audit)
        return true
      }),
    find: id =>
      db.query(() => {
        const row = byId.get(id)
        return row ? toEndpoint(row) : null
      }),
    ofApp: app_id => db.query(() => byApp.all(app_id).map(toEndpoint)),
    active: ids => db.query(() => (ids ? active.all(JSON.stringify(ids)) : allActive.all()).map(toEndpoint)),
    rotateSecret: (id, secret, previous_until, audit) =>
      db.write(() => {
        const rotated = rotate.run(id, previous_until, secret).changes === 1
        if (rotated) writeAudit(audit)
        return rotated
      }),
    setDisabled: (id, disabled, audit) =>
      db.write(() => {
        const { changes } = disabled ? disable.run(id, disabled.at, disabled.reason) : enable.run(id)
        if (changes === 1) writeAudit(audit)
        return changes === 1
      }),
    remove: (id, audit) =>
      db.write(() => {
        if (remove.run(id).changes === 0) return false
        for (const removal of removals) removal.run(id)
        writeAudit(audit)
        return true
      }),
    isPaused: app_id => db.query(() => paused.get(app_id)?.webhooks_paused === 1),
    setPaused: (app_id, on, audit) =>
      db.write(() => {
        const changed = pause.run(app_id, on ? 1 : 0).changes === 1
        if (changed) writeAudit(audit)
        return changed
      }),
    report: ({ endpoint_id, failures, failed }) =>
      db.write(() => {
        const { changes } = failed
          ? fail.run(endpoint_id, failures, failed.at, failed.retry_at_ms, failed.disable)
          : succeed.run(endpoint_id)
        return changes === 1
      }),
  }
}
