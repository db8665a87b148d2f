import { latencyBucketCount } from '../../lib/latency-buckets.ts'
import type { Key, Row, Table } from './table.ts'

const text = 'text'
const int64 = 'int64'
const number = 'number'
const boolean = 'boolean'

/**
 * Every table of the schema with the type of each column (test/storage/columns.test.ts compares both). A table comes
 * after those that it refers to; a copy writes them in this order. Accounts and apps are never deleted.
 */
export const tables: readonly Table[] = [
  {
    name: 'accounts',
    columns: {
      id: text,
      email: text,
      role: text,
      password_hash: text,
      created_at: number,
      disabled_at: number,
    },
    key: ['id'],
  },
  {
    name: 'sessions',
    columns: {
      hash: text,
      account_id: text,
      created_at: number,
      expires_at: number,
      address: text,
      browser: text,
    },
    key: ['hash'],
  },
  {
    name: 'two_factor',
    columns: { account_id: text, secret: text, step: number, recovery_codes: text, created_at: number },
    key: ['account_id'],
  },
  {
    name: 'apps',
    columns: {
      id: text,
      name: text,
      website: text,
      publisher: text,
      scope: text,
      redirect_uris: text,
      public: boolean,
      owner_id: text,
      created_at: number,
      disabled_at: number,
      disabled_by_owner: boolean,
      webhooks_paused: boolean,
      logo: text,
    },
    key: ['id'],
  },
  {
    name: 'app_secrets',
    columns: { id: text, app_id: text, hash: text, created_at: number, last_used_at: number },
    key: ['app_id', 'id'],
  },
  {
    name: 'authorizations',
    columns: {
      id: text,
      app_id: text,
      account_id: text,
      scope: text,
      created_at: number,
      updated_at: number,
      revoked_at: number,
      revision: number,
    },
    key: ['id'],
    changesFirst: true, // one live authorization for each app and account
  },
  {
    name: 'artifacts',
    columns: { kind: text, hash: text, payload: text, expires_at: number, consumed_at: number },
    key: ['kind', 'hash'],
  },
  {
    name: 'revoked_tokens',
    columns: { jti: text, expires_at: number, generation: number },
    key: ['jti'],
  },
  {
    name: 'keys',
    columns: { id: text, use: text, secret: text, created_at: number, retired_at: number },
    key: ['id'],
  },
  { name: 'switches', columns: { name: text, is_on: boolean }, key: ['name'] },
  {
    name: 'brand',
    columns: { key: text, name: text, accent: text, support: text, logo: text },
    key: ['key'],
  },
  {
    name: 'logos',
    columns: { owner_id: text, version: text, type: text, content: text },
    key: ['owner_id'],
  },
  {
    name: 'audit_entries',
    columns: {
      id: text,
      at: number,
      action: text,
      actor_kind: text,
      actor_id: text,
      actor_name: text,
      account_id: text,
      app_id: text,
      store_ids: text,
      detail: text,
      address: text,
      request_id: text,
    },
    key: ['id'],
  },
  {
    name: 'stores',
    columns: {
      id: int64,
      name: text,
      timezone: text,
      merchant: text,
      orders_version: number,
      items_version: number,
      seq: number,
      doc: text,
    },
    key: ['id'],
    store: 'id',
  },
  {
    name: 'authorization_stores',
    columns: { store_id: int64, app_id: text, authorization_id: text, since: number, scope: text },
    key: ['store_id', 'app_id', 'authorization_id'],
    store: 'store_id',
  },
  {
    name: 'activations',
    columns: { store_id: int64, app_id: text, activated_at: number },
    key: ['store_id', 'app_id'],
    store: 'store_id',
  },
  {
    name: 'items',
    columns: { store_id: int64, id: int64, updated_at: number, seq: number, doc: text },
    key: ['store_id', 'id'],
    store: 'store_id',
  },
  {
    name: 'orders',
    columns: {
      store_id: int64,
      created_at: number,
      id: text,
      updated_at: number,
      paid_at: number,
      subtotal: number,
      seq: number,
      sold: text,
      doc: text,
    },
    key: ['store_id', 'created_at', 'id'],
    store: 'store_id',
    identity: ['store_id', 'id'], // an order sent again may have another created_at
  },
  {
    name: 'sales_rollups',
    columns: {
      store_id: int64,
      width: number,
      bucket: number,
      item_id: int64,
      lines: int64,
      units: int64,
      nanos: int64,
    },
    key: ['store_id', 'width', 'bucket', 'item_id'],
    store: 'store_id',
  },
  {
    name: 'receipts',
    columns: {
      store_id: int64,
      kind: text,
      day: number,
      entities: number,
      subtotal: number,
      digest_0: int64,
      digest_1: int64,
      digest_2: int64,
      digest_3: int64,
      seq: number,
    },
    key: ['store_id', 'kind', 'day'],
    store: 'store_id',
  },
  { name: 'feed', columns: { id: int64, history: text }, key: ['id'] },
  {
    name: 'usage_reads',
    columns: {
      store_id: int64,
      width: number,
      bucket: number,
      app_id: text,
      requests: number,
      orders: number,
      items: number,
      sales: number,
      last_at: number,
    },
    key: ['store_id', 'width', 'bucket', 'app_id'],
    store: 'store_id',
  },
  {
    name: 'usage_requests',
    columns: {
      app_id: text,
      width: number,
      bucket: number,
      endpoint: text,
      requests: number,
      client_errors: number,
      server_errors: number,
      ...Object.fromEntries(Array.from({ length: latencyBucketCount }, (_, i) => [`latency_${i}`, number])),
    },
    key: ['app_id', 'width', 'bucket', 'endpoint'],
  },
  {
    name: 'usage_ingest',
    columns: {
      width: number,
      bucket: number,
      requests: number,
      stores: number,
      items: number,
      orders: number,
      unchanged: number,
      last_at: number,
      lagged: number,
      lag_sum: number,
      lag_max: number,
      lag_last: number,
      newest_seq: number,
    },
    key: ['width', 'bucket'],
  },
  {
    name: 'request_log',
    columns: {
      app_id: text,
      at_ms: number,
      request_id: text,
      method: text,
      endpoint: text,
      status: number,
      error_code: text,
      microseconds: number,
      store_id: int64,
      query: text,
      problem: text,
    },
    key: ['app_id', 'at_ms', 'request_id'],
  },
  {
    name: 'webhook_endpoints',
    columns: {
      id: text,
      app_id: text,
      url: text,
      events: text,
      secret: text,
      previous_secret: text,
      previous_until: number,
      created_at: number,
      disabled_at: number,
      reason: text,
      failures: number,
      failing_since: number,
      retry_at_ms: number,
      access_version: number,
    },
    key: ['id'],
  },
  {
    name: 'webhook_positions',
    columns: {
      store_id: int64,
      endpoint_id: text,
      history: text,
      seq: number,
      next_at_ms: number,
      lease: text,
      leased_until_ms: number,
    },
    key: ['store_id', 'endpoint_id'],
    store: 'store_id',
  },
  {
    name: 'webhook_deliveries',
    columns: {
      endpoint_id: text,
      id: text,
      type: text,
      store_id: int64,
      body: text,
      created_at_ms: number,
      state: text,
      urgent: boolean,
      attempts: number,
      attempted_at_ms: number,
      duration_ms: number,
      status: number,
      problem: text,
      answer: text,
      lease: text,
      leased_until_ms: number,
    },
    key: ['endpoint_id', 'id'],
  },
]

/**
 * Failed sign-ins of the last minute. They are not copied: a new server starts at zero. In the copy this table holds
 * the mark that identifies its source (copy/mark.ts).
 */
export const throttles: Table = {
  name: 'throttles',
  columns: { key: text, expires_at: number, count: number },
  key: ['key'],
}

/** Not copied: a copy calls nobody until `tillgate webhook resume`. */
export const webhookSender: Table = {
  name: 'webhook_sender',
  columns: { key: text, paused: boolean, watermark: number },
  key: ['key'],
}

/** Only in PostgreSQL, and not copied: a copy is on other servers. */
export const feedServers: Table = {
  name: 'feed_servers',
  columns: { system_identifier: text, timeline: number },
  key: ['system_identifier'],
}

export const columnsOf = ({ columns }: Table): string[] => Object.keys(columns)

export function keyOf(table: Table, row: Row): Key {
  const names = columnsOf(table)
  return table.key.map(name => row[names.indexOf(name)] as string)
}

/** '' for a table whose rows belong to no store. */
export const storeOf = (table: Table, row: Row): string =>
  table.store === undefined ? '' : (row[columnsOf(table).indexOf(table.store)] as string)
