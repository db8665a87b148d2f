import { latencyBucketCount } from '../../../lib/latency-buckets.ts'
import type { IngestDelta, ReadDelta, RequestDelta, UsageBatch } from '../../port/index.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { Value } from '../connection/values.ts'

export const latencyColumns = Array.from({ length: latencyBucketCount }, (_, place) => `latency_${place}`)
export const requestColumns = ['requests', 'client_errors', 'server_errors', ...latencyColumns]
export const readColumns = ['requests', 'orders', 'items', 'sales']
export const ingestColumns = [
  'requests',
  'stores',
  'items',
  'orders',
  'unchanged',
  'lagged',
  'lag_sum',
] as const
export const logColumns =
  'app_id, at_ms, request_id, method, endpoint, status, error_code, microseconds, store_id'

/**
 * Every statement writes its rows in the order of their key, and the statements have a fixed order, so that processes
 * that add to the same counters never deadlock.
 */
export function addReads(tx: Transaction, rows: readonly ReadDelta[]): void {
  const key = ['store_id', 'width', 'bucket', 'app_id']
  const columns = [...key, ...readColumns, 'last_at'] as (keyof ReadDelta)[]
  insert(
    tx,
    'usage_reads',
    key,
    columns,
    rows.map(row => columns.map(name => row[name])),
    [
      ...readColumns.map(name => adding('usage_reads', name)),
      'last_at = greatest(usage_reads.last_at, excluded.last_at)',
    ],
  )
}

export function addRequests(tx: Transaction, rows: readonly RequestDelta[]): void {
  const key = ['app_id', 'width', 'bucket', 'endpoint'] as const
  const values = rows.map(row => [
    ...key.map(name => row[name]),
    row.requests,
    row.client_errors,
    row.server_errors,
    ...row.latencies,
  ])
  const adds = requestColumns.map(name => adding('usage_requests', name))
  insert(tx, 'usage_requests', key, [...key, ...requestColumns], values, adds)
}

export function addIngest(tx: Transaction, rows: readonly IngestDelta[]): void {
  const key = ['width', 'bucket'] as const
  const columns = [...key, ...ingestColumns, 'last_at', 'lag_max', 'lag_last'] as const
  insert(
    tx,
    'usage_ingest',
    key,
    columns,
    rows.map(row => columns.map(name => row[name])),
    [
      ...ingestColumns.map(name => adding('usage_ingest', name)),
      'last_at = greatest(usage_ingest.last_at, excluded.last_at)',
      'lag_max = greatest(usage_ingest.lag_max, excluded.lag_max)',
      'lag_last = coalesce(excluded.lag_last, usage_ingest.lag_last)',
    ],
  )
}

export function addLog(tx: Transaction, rows: UsageBatch['log']): void {
  const values = rows.map(row => [
    row.app_id,
    row.at_ms,
    row.request_id,
    row.method,
    row.endpoint,
    row.status,
    row.error_code,
    Math.round(row.milliseconds * 1e3),
    row.store_id,
  ])
  insert(tx, 'request_log', ['app_id', 'at_ms', 'request_id'], logColumns.split(', '), values, [])
}

const texts = ['app_id', 'endpoint', 'request_id', 'method', 'error_code']

/** `changes` update an existing row; without any, it stays unchanged. */
function insert(
  tx: Transaction,
  table: string,
  key: readonly string[],
  columns: readonly string[],
  rows: readonly (string | number | bigint | null)[][],
  changes: readonly string[],
): void {
  if (rows.length === 0) return
  const lists = columns.map((name, i) => `$${i + 1}::${texts.includes(name) ? 'text' : 'bigint'}[]`)
  const values: Value[] = columns.map((_, i) => rows.map(row => row[i] ?? null))
  tx.send(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.join(', ')} from unnest(${lists.join(', ')}) as given (${columns.join(', ')})
     order by ${key.join(', ')}
     on conflict (${key.join(', ')}) do ${changes.length === 0 ? 'nothing' : `update set ${changes.join(', ')}`}`,
    values,
  )
}

const adding = (table: string, name: string): string => `${name} = ${table}.${name} + excluded.${name}`
