import { latencyBucketCount } from '../../lib/latency-buckets.ts'
import type { LoggedRequest } from '../port/index.ts'

export type LogRow = Omit<LoggedRequest, 'milliseconds'> & { microseconds: number }

export const latencyColumns = Array.from(
  { length: latencyBucketCount },
  (_, place) => `latency_${place}` as const,
)
export const requestColumns = ['requests', 'client_errors', 'server_errors', ...latencyColumns] as const
export const readColumns = ['requests', 'orders', 'items', 'sales'] as const
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
  'app_id, at_ms, request_id, method, endpoint, status, error_code, microseconds, store_id, query, problem'

/** Later than any entry of the log. */
export const afterAll = { at_ms: Number.MAX_SAFE_INTEGER, request_id: '' }

export const toLogged = ({ microseconds, ...row }: LogRow): LoggedRequest => ({
  ...row,
  milliseconds: microseconds / 1000,
})
