import type { Seconds } from '../../lib/clock.ts'

/**
 * Counters are kept by the hour and by the day, of UTC; a bucket is named by its first second. `ever` has one bucket,
 * 0, that reads alone are kept in: it says when an app last read a store, however long ago.
 */
export const usageWidths = { ever: 0, hour: 3600, day: 86_400 } as const

/** How long each is kept, in seconds; `ever` is not deleted. */
export const usageRetention = { hour: 35 * 86_400, day: 400 * 86_400, log: 7 * 86_400 } as const

/** What an app was given of a store's data. */
export interface ReadCounts {
  /** Answered with 200 or 304. */
  requests: number
  /** Entries given out; none with a 304. */
  orders: number
  items: number
  sales: number
  last_at: Seconds
}

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

export interface RequestDelta extends RequestCounts {
  /** Empty when no app is known. */
  app_id: string
  /** The method and the route's pattern, such as `GET /integration/v1/orders`; never an address. */
  endpoint: string
  width: Seconds
  bucket: Seconds
}

/** What the platform sent to `POST /platform/v1/records`, batches that were stored alone. */
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
  /** The code that the answer carried; null when it was no error. */
  error_code: string | null
  milliseconds: number
  /** The store that was asked for. */
  store_id: bigint | null
}

/** What is added in one transaction. Each key comes once in each list. */
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

export interface ReadsQuery extends UsageSpan {
  store_ids: readonly bigint[]
  /** Null: of all apps. */
  app_id: string | null
  /** What is told apart besides the bucket; the rest is summed. */
  by: readonly ('store_id' | 'app_id')[]
}

/** `store_id` and `app_id` are null where they were not asked to be told apart. */
export interface ReadSums extends ReadCounts {
  bucket: Seconds
  store_id: bigint | null
  app_id: string | null
}

interface ActivityQuery extends UsageSpan {
  store_ids: readonly bigint[]
  app_id: string | null
  /** The last row of the page before. */
  after: Pick<ReadDelta, 'bucket' | 'store_id' | 'app_id'> | null
  limit: number
}

export interface RequestsQuery extends UsageSpan {
  /** Null: of all apps, and of requests whose app is not known. */
  app_id: string | null
  /** What is told apart; the rest is summed. */
  by: 'bucket' | 'endpoint' | 'app_id'
}

export interface RequestSums extends RequestCounts {
  /** The bucket (as digits), the endpoint or the app_id. */
  key: string
}

export interface LogQuery {
  app_id: string
  errors_only: boolean
  /** Null: of all endpoints. */
  endpoint: string | null
  /** The last entry of the page before. */
  before: Pick<LoggedRequest, 'at_ms' | 'request_id'> | null
  limit: number
}

/** Counters that many processes add to, and the log of the latest requests of each app. */
export interface Usage {
  /** One transaction. An entry of the log that is there already is left as it is. */
  add(batch: UsageBatch): Promise<void>
  /** Sums by bucket, then store, then app; buckets in which nothing was read are left out. */
  reads(query: ReadsQuery): Promise<ReadSums[]>
  /** Every row by itself, newest bucket first, then by store and app. */
  activity(query: ActivityQuery): Promise<ReadDelta[]>
  /** What each app ever read of each store, by store, then app. */
  readsEver(store_ids: readonly bigint[]): Promise<(ReadCounts & { store_id: bigint; app_id: string })[]>
  /** By bucket, or by endpoint or app_id as their bytes are. */
  requests(query: RequestsQuery): Promise<RequestSums[]>
  /** By bucket. */
  ingest(span: UsageSpan): Promise<IngestDelta[]>
  /** Newest first. */
  log(query: LogQuery): Promise<LoggedRequest[]>
  /** The app's request of this id. */
  logged(app_id: string, request_id: string): Promise<LoggedRequest | null>
  /** Deletes all but the app's newest `keep` entries. */
  trimLog(app_id: string, keep: number): Promise<void>
}
