import { orderedId } from '../../src/lib/ids.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { latencyBucketCount } from '../../src/lib/latency-buckets.ts'
import { allApps } from '../../src/storage/port/index.ts'
import {
  accountId,
  appId,
  apps,
  benchStores,
  developerOf,
  developers,
  emailOf,
  merchantOf,
  merchants,
  merchantsOf,
  type Named,
  secretOf,
  sessionOf,
  type Shape,
  storeId,
  storesOf,
} from './shape.ts'
import { deliveries, endpoints, positions } from './webhooks.ts'

const hour = 3600
const day = 86_400
const scope = 'integration.store integration.order integration.inventory'
const readPaths = ['orders', 'changes', 'stores', 'token']
const auditOfStore = 3
const loggedApps = 100
const loggedOfApp = 1000
const operators = 3

/** Everything but records: rows of each table, in the order in which they can be written. */
export function* otherRows(shape: Shape, now: number): Generator<[table: string, rows: Iterable<Named>]> {
  yield ['accounts', accounts(shape, now)]
  yield ['sessions', sessions(now)]
  yield ['apps', appRows(shape, now)]
  yield ['app_secrets', secrets(shape, now)]
  yield ['authorizations', authorizations(shape, now)]
  yield ['audit_entries', audit(shape, now)]
  yield ['authorization_stores', links(shape, now)]
  yield ['usage_reads', reads(shape, now)]
  yield ['usage_requests', requests(shape, now)]
  yield ['usage_ingest', ingest(now)]
  yield ['request_log', log(shape, now)]
  yield ['webhook_endpoints', endpoints(shape, now)]
  yield ['webhook_positions', positions(shape)]
  yield ['webhook_deliveries', deliveries(shape, now)]
}

function* accounts(shape: Shape, now: number): Generator<Named> {
  const roles = { merchant: merchants(shape), developer: developers(shape), operator: operators }
  for (const [role, count] of Object.entries(roles)) {
    for (let i = 0; i < count; i++) {
      const password_hash = 'none: nobody can sign in with it'
      const id = accountId(role, i)
      yield {
        id,
        email: emailOf(role, i),
        role,
        password_hash,
        created_at: now - 100 * day,
        disabled_at: null,
      }
    }
  }
}

function* sessions(now: number): Generator<Named> {
  for (const role of ['merchant', 'developer', 'operator']) {
    const hash = sha256(sessionOf(role))
    const expires_at = now + 365 * day
    yield { hash, account_id: accountId(role, 0), created_at: now, expires_at, address: null, browser: null }
  }
}

function* appRows(shape: Shape, now: number): Generator<Named> {
  for (let app = -1; app < apps(shape); app++) {
    yield {
      id: appId(app),
      name: `App ${app}`,
      website: null,
      publisher: null,
      scope: app < 0 ? 'platform.write' : scope,
      redirect_uris: JSON.stringify([`https://app-${app}.example/callback`]),
      public: false,
      owner_id: app < 0 ? null : accountId('developer', developerOf(shape, app)),
      created_at: now - 100 * day + app + 1,
      disabled_at: null,
      disabled_by_owner: false,
      webhooks_paused: false,
      logo: null,
    }
  }
}

function* secrets(shape: Shape, now: number): Generator<Named> {
  for (let app = -1; app < apps(shape); app++) {
    const hash = sha256(secretOf(app))
    yield { id: `secret-${app}`, app_id: appId(app), hash, created_at: now - 100 * day, last_used_at: null }
  }
}

function* consents(shape: Shape): Generator<[app: number, merchant: number]> {
  for (let app = 0; app < apps(shape); app++) {
    for (const merchant of merchantsOf(shape, app)) yield [app, merchant]
  }
}

const authorizationId = (app: number, merchant: number): string => `authorization-${app}-${merchant}`

const operatorsLink = 'authorization-of-the-operator'

function* authorizations(shape: Shape, now: number): Generator<Named> {
  const since = now - 50 * day
  const rest = { scope, created_at: since, updated_at: since, revoked_at: null, revision: 1 }
  yield { id: operatorsLink, app_id: appId(0), account_id: null, ...rest }
  for (const [app, merchant] of consents(shape)) {
    const account_id = accountId('merchant', merchant)
    yield { id: authorizationId(app, merchant), app_id: appId(app), account_id, ...rest }
  }
}

function* links(shape: Shape, now: number): Generator<Named> {
  for (const store_id of benchStores)
    yield { store_id, app_id: appId(0), authorization_id: operatorsLink, since: now - 50 * day, scope }
  for (const [app, merchant] of consents(shape)) {
    const authorization_id = authorizationId(app, merchant)
    for (const index of storesOf(shape, merchant))
      yield { store_id: storeId(index), app_id: appId(app), authorization_id, since: now - 50 * day, scope }
  }
}

function* audit(shape: Shape, now: number): Generator<Named> {
  const all = merchants(shape)
  const entries = auditOfStore * shape.stores
  const actions = ['sign_in', 'sign_in', 'sign_in', 'sign_out', 'access_allowed', 'access_changed']
  for (let i = 0; i < entries; i++) {
    const at = now - 100 * day + Math.floor((i * 100 * day) / entries)
    const merchant = (i * 7) % all
    const action = actions[i % actions.length] as string
    const isAccess = action.startsWith('access')
    yield {
      id: orderedId(at),
      at,
      action,
      actor_kind: 'account',
      actor_id: accountId('merchant', merchant),
      actor_name: emailOf('merchant', merchant),
      account_id: isAccess ? accountId('merchant', merchant) : null,
      app_id: isAccess ? appId(i % apps(shape)) : null,
      store_ids: isAccess ? storesOf(shape, merchant).slice(0, 20).map(storeId).join(',') : '',
      detail: null,
      address: `192.0.2.${i % 250}`,
      request_id: `request-${i}`,
    }
  }
}

/** The first app reads every store: ten days, two hours, and the row that is never deleted. */
function* reads(shape: Shape, now: number): Generator<Named> {
  const buckets = [
    [0, 0],
    ...Array.from({ length: 2 }, (_, i) => [hour, now - (now % hour) - i * hour]),
    ...Array.from({ length: 10 }, (_, i) => [day, now - (now % day) - i * day]),
  ] as [number, number][]
  for (let index = 0; index < shape.stores; index++) {
    // Ten apps read the stores of the first merchant, whose pages sum them.
    const readers = merchantOf(shape, index) === 0 ? 10 : 1
    for (let app = 0; app < readers; app++) {
      for (const [width, bucket] of buckets) {
        const counts = { requests: 10, orders: 10, items: 1, sales: 1, last_at: now - 60 }
        yield { store_id: storeId(index), width, bucket, app_id: appId(app), ...counts }
      }
    }
  }
}

/** Ten requests in each of the first ten buckets, of so many apps. */
const requestCounts = (count: number) => ({
  requests: 100 * count,
  client_errors: 0,
  server_errors: 0,
  ...Object.fromEntries(
    Array.from({ length: latencyBucketCount }, (_, i) => [`latency_${i}`, i < 10 ? 10 * count : 0]),
  ),
})

function* requests(shape: Shape, now: number): Generator<Named> {
  yield* requestsOf(allApps, requestCounts(apps(shape)), now)
  for (let app = 0; app < apps(shape); app++) yield* requestsOf(appId(app), requestCounts(1), now)
}

function* requestsOf(app_id: string, counts: Named, now: number): Generator<Named> {
  for (const [width, count] of [
    [hour, 48],
    [day, 30],
  ] as const) {
    for (let i = 0; i < count; i++) {
      const bucket = now - (now % width) - i * width
      for (const name of readPaths)
        yield { app_id, width, bucket, endpoint: `GET /integration/v1/${name}`, ...counts }
    }
  }
}

function* ingest(now: number): Generator<Named> {
  for (const [width, count] of [
    [hour, 800],
    [day, 100],
  ] as const) {
    for (let i = 0; i < count; i++) {
      const bucket = now - (now % width) - i * width
      const counts = { requests: 1000, stores: 0, items: 0, orders: 100_000, unchanged: 0 }
      const lags = {
        lagged: 1000,
        lag_sum: 1000,
        lag_max: 5,
        lag_last: 1,
        newest_seq: (bucket + 1) * 1_000_000,
      }
      yield { width, bucket, ...counts, last_at: bucket, ...lags }
    }
  }
}

function* log(shape: Shape, now: number): Generator<Named> {
  for (let app = 0; app < Math.min(loggedApps, apps(shape)); app++) {
    for (let i = 0; i < loggedOfApp; i++) {
      yield {
        app_id: appId(app),
        at_ms: (now - i) * 1000,
        request_id: `request-${i}`,
        method: 'GET',
        endpoint: 'GET /integration/v1/orders',
        status: i % 50 === 0 ? 422 : 200,
        error_code: null,
        microseconds: 1500,
        store_id: storeId(i),
        query: null,
        problem: null,
      }
    }
  }
}
