import type { Seconds } from '../../lib/clock.ts'

/**
 * The counters are by hour and by day, in UTC; a bucket is named by its first second. `ever` is for reads only and has
 * one bucket, 0: it holds what an app has read from a store in total, and when it last did.
 */
export const usageWidths = { ever: 0, hour: 3600, day: 86_400 } as const

/** The retention of each, in seconds; `ever` is never deleted. */
export const usageRetention = { hour: 35 * 86_400, day: 400 * 86_400, log: 7 * 86_400 } as const

/** In the place of an app's id: the requests of all apps, and of no known app, counted once more in rows of their own. */
export const allApps = '*'

/** How much of a store's data an app has read. */
export interface ReadCounts {
  /** Answered with 200 or 304. */
  requests: number
  /** Entries sent; a 304 sends none. */
  orders: number
  items: number
  sales: number
  last_at: Seconds
}

export const addReads = <Counts extends ReadCounts>(one: Counts, other: ReadCounts): Counts => ({
  ...one,
  requests: one.requests + other.requests,
  orders: one.orders + other.orders,
  items: one.items + other.items,
  sales: one.sales + other.sales,
  last_at: Math.max(one.last_at, other.last_at),
})

export interface ReadDelta extends ReadCounts {
  store_id: bigint
  app_id: string
  width: Seconds
  bucket: Seconds
}

/** How requests went. `latencies` counts them by duration, one count for each bucket of lib/latency-buckets.ts. */
export interface RequestCounts {
  requests: number
  /** Answered with 4xx, and with 5xx. */
  client_errors: number
  server_errors: number
  latencies: readonly number[]
}

export const addRequests = <Counts extends RequestCounts>(one: Counts, other: RequestCounts): Counts => ({
  ...one,
  requests: one.requests + other.requests,
  client_errors: one.client_errors + other.client_errors,
  server_errors: one.server_errors + other.server_errors,
  latencies: one.latencies.map((count, bucket) => count + (other.latencies[bucket] ?? 0)),
})

export interface RequestDelta extends RequestCounts {
  /** Empty when the app is unknown; `allApps` in the rows of all of them. */
  app_id: string
  /** The method and the route's pattern, such as `GET /integration/v1/orders`; never the requested URL. */
  endpoint: string
  width: Seconds
  bucket: Seconds
}

/** Batches that the platform sent to `POST /platform/v1/records`; only those that were stored. */
export interface IngestCounts {
  requests: number
  stores: number
  items: number
  orders: number
  unchanged: number
  last_at: Seconds
  /** Seconds from the newest order's updated_at to its commit. `lagged` batches had orders; null when none had. */
  lagged: number
  lag_sum: number
  lag_max: number
  lag_last: number | null
  /** The highest number that a change of an order or item got; null when nothing changed. */
  newest_seq: number | null
}

export interface IngestDelta extends IngestCounts {
  width: Seconds
  bucket: Seconds
}

export interface LoggedRequest {
  app_id: string
  /** When it ended, in milliseconds since the Unix epoch. */
  at_ms: number
  request_id: string
  method: string
  endpoint: string
  status: number
  /** The error code of the response; null when it was no error. */
  error_code: string | null
  milliseconds: number
  /** The requested store. */
  store_id: bigint | null
  /** Of refused requests: the query, and what was wrong with it, both without secrets and cut to a bounded length. */
  query: string | null
  problem: string | null
}

/** Each key occurs once in each list. */
export interface UsageBatch {
  reads: readonly ReadDelta[]
  requests: readonly RequestDelta[]
  ingest: readonly IngestDelta[]
  log: readonly LoggedRequest[]
}

/** Buckets of one width, the first and the last included. */
export interface UsageSpan {
  width: Seconds
  from: Seconds
  to: Seconds
}

/** All reads, however long ago. */
export const everSpan: UsageSpan = { width: usageWidths.ever, from: 0, to: 0 }

export interface ReadsQuery extends UsageSpan {
  store_ids: readonly bigint[]
  /** Null: all apps. */
  app_id: string | null
  /** The grouping besides the bucket. */
  by: readonly ('store_id' | 'app_id')[]
  /** All buckets together, named by the first of the span; `by` is then not empty. */
  together?: boolean
}

/** `store_id` and `app_id` are null unless the query groups by them. */
export interface ReadSums extends ReadCounts {
  bucket: Seconds
  store_id: bigint | null
  app_id: string | null
}

interface ActivityQuery extends UsageSpan {
  store_ids: readonly bigint[]
  app_id: string | null
  /** The last row of the previous page. */
  after: Pick<ReadDelta, 'bucket' | 'store_id' | 'app_id'> | null
  limit: number
}

export interface RequestsQuery extends UsageSpan {
  /** `allApps`: all apps, and requests of unknown apps. */
  app_id: string
  /** The grouping. */
  by: 'bucket' | 'endpoint' | 'app_id'
}

interface RequestSums extends RequestCounts {
  /** The bucket (as digits), the endpoint or the app_id. */
  key: string
}

export interface LogQuery {
  app_id: string
  errors_only: boolean
  /** Null: all endpoints. */
  endpoint: string | null
  /** The last entry of the previous page. */
  before: Pick<LoggedRequest, 'at_ms' | 'request_id'> | null
  limit: number
}

/** Counters that all processes add to, and a log of the latest requests of each app. */
export interface Usage {
  /** Splits a batch into parts that cost least one by one. The rows of a store, of an app, of ingest stay together. */
  parts(batch: UsageBatch): Promise<UsageBatch[]>
  /** One transaction. A log entry that already exists stays unchanged. */
  add(part: UsageBatch): Promise<void>
  /** Sums by bucket, then store, then app, without empty buckets. */
  reads(query: ReadsQuery): Promise<ReadSums[]>
  /** Single rows, newest bucket first, then by store and app. */
  activity(query: ActivityQuery): Promise<ReadDelta[]>
  /** Sorted by bucket, or by the bytes of endpoint or app_id. */
  requests(query: RequestsQuery): Promise<RequestSums[]>
  /** The apps with the most requests, most first, then by the bytes of the id; empty for requests of unknown apps. */
  busiestApps(span: UsageSpan, limit: number): Promise<string[]>
  /** Sorted by bucket. */
  ingest(span: UsageSpan): Promise<IngestDelta[]>
  /** Newest first. */
  log(query: LogQuery): Promise<LoggedRequest[]>
  /** The app's request with this id. */
  logged(app_id: string, request_id: string): Promise<LoggedRequest | null>
  /** Deletes all but the app's newest `keep` entries. */
  trimLog(app_id: string, keep: number): Promise<void>
}
