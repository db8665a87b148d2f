import { latencyBucketCount } from '../../lib/latency-buckets.ts'
import type { Key, Row, Table } from './table.ts'

const text = 'text'
const integer = 'integer'
const boolean = 'boolean'

/**
 * Every table of the schema and all its columns, those that others refer to first. Accounts and apps are never
 * deleted, so no row is taken away from under another.
 */
export const tables: readonly Table[] = [
  {
    name: 'accounts',
    columns: {
      id: text,
      email: text,
      role: text,
      password_hash: text,
      created_at: integer,
      disabled_at: integer,
    },
    key: ['id'],
  },
  {
    name: 'sessions',
    columns: { hash: text, account_id: text, created_at: integer, expires_at: integer },
    key: ['hash'],
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
      created_at: integer,
      disabled_at: integer,
      disabled_by_owner: boolean,
    },
    key: ['id'],
  },
  {
    name: 'app_secrets',
    columns: { id: text, app_id: text, hash: text, created_at: integer, last_used_at: integer },
    key: ['id'],
  },
  {
    name: 'authorizations',
    columns: {
      id: text,
      app_id: text,
      account_id: text,
      scope: text,
      created_at: integer,
      updated_at: integer,
      revoked_at: integer,
    },
    key: ['id'],
    makesWay: true, // one live authorization for each app and account
  },
  {
    name: 'artifacts',
    columns: { kind: text, hash: text, payload: text, expires_at: integer, consumed_at: integer },
    key: ['kind', 'hash'],
  },
  { name: 'revoked_tokens', columns: { jti: text, expires_at: integer }, key: ['jti'] },
  {
    name: 'keys',
    columns: { id: text, use: text, secret: text, created_at: integer, retired_at: integer },
    key: ['id'],
  },
  { name: 'switches', columns: { name: text, is_on: boolean }, key: ['name'] },
  {
    name: 'audit_entries',
    columns: {
      id: text,
      at: integer,
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
      id: integer,
      name: text,
      timezone: text,
      merchant: text,
      orders_version: integer,
      items_version: integer,
      doc: text,
    },
    key: ['id'],
    store: 'id',
  },
  {
    name: 'authorization_stores',
    columns: { store_id: integer, app_id: text, authorization_id: text, since: integer },
    key: ['store_id', 'app_id', 'authorization_id'],
    store: 'store_id',
  },
  {
    name: 'activations',
    columns: { store_id: integer, app_id: text, activated_at: integer },
    key: ['store_id', 'app_id'],
    store: 'store_id',
  },
  {
    name: 'items',
    columns: { store_id: integer, id: integer, updated_at: integer, doc: text },
    key: ['store_id', 'id'],
    store: 'store_id',
  },
  {
    name: 'orders',
    columns: {
      store_id: integer,
      created_at: integer,
      id: text,
      updated_at: integer,
      paid_at: integer,
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
      store_id: integer,
      width: integer,
      bucket: integer,
      item_id: integer,
      lines: integer,
      units: integer,
      nanos: integer,
    },
    key: ['store_id', 'width', 'bucket', 'item_id'],
    store: 'store_id',
  },
  {
    name: 'usage_reads',
    columns: {
      store_id: integer,
      width: integer,
      bucket: integer,
      app_id: text,
      requests: integer,
      orders: integer,
      items: integer,
      sales: integer,
      last_at: integer,
    },
    key: ['store_id', 'width', 'bucket', 'app_id'],
    store: 'store_id',
  },
  {
    name: 'usage_requests',
    columns: {
      app_id: text,
      width: integer,
      bucket: integer,
      endpoint: text,
      requests: integer,
      client_errors: integer,
      server_errors: integer,
      ...Object.fromEntries(Array.from({ length: latencyBucketCount }, (_, i) => [`latency_${i}`, integer])),
    },
    key: ['app_id', 'width', 'bucket', 'endpoint'],
  },
  {
    name: 'usage_ingest',
    columns: {
      width: integer,
      bucket: integer,
      requests: integer,
      stores: integer,
      items: integer,
      orders: integer,
      unchanged: integer,
      last_at: integer,
      lagged: integer,
      lag_sum: integer,
      lag_max: integer,
      lag_last: integer,
    },
    key: ['width', 'bucket'],
  },
  {
    name: 'request_log',
    columns: {
      app_id: text,
      at_ms: integer,
      request_id: text,
      method: text,
      endpoint: text,
      status: integer,
      error_code: text,
      microseconds: integer,
      store_id: integer,
    },
    key: ['app_id', 'at_ms', 'request_id'],
  },
]

/**
 * Failed sign-ins of the last minute: not copied, a new server counts anew. In the copy it holds the mark that says
 * what it is a copy of (mark.ts).
 */
export const throttles: Table = {
  name: 'throttles',
  columns: { key: text, expires_at: integer, count: integer },
  key: ['key'],
}

export const columnsOf = ({ columns }: Table): string[] => Object.keys(columns)

export function keyOf(table: Table, row: Row): Key {
  const names = columnsOf(table)
  return table.key.map(name => row[names.indexOf(name)] as string)
}

/** '' for a table of no store. */
export const storeOf = (table: Table, row: Row): string =>
  table.store === undefined ? '' : (row[columnsOf(table).indexOf(table.store)] as string)
