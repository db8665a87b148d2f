import type { RecordCounts } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import { latencyBucketOf, latencyBucketCount } from '../../lib/latency-buckets.ts'
import {
  type IngestCounts,
  type IngestDelta,
  type LoggedRequest,
  type ReadCounts,
  type ReadDelta,
  type RequestDelta,
  type SequenceMove,
  type UsageBatch,
  addReads,
  addRequests,
  allApps,
  usageWidths,
} from '../../storage/port/index.ts'
import { bucketOf } from '../reading/sales-buckets.ts'

export type ReadKind = 'orders' | 'items' | 'sales'

export interface AppRead {
  app_id: string
  store_id: bigint
  kind: ReadKind
  rows: number
}

/** A batch that was stored: what ingest returns for it. */
export interface StoredBatch {
  counts: RecordCounts
  /** The newest updated_at of its orders. */
  newest: Seconds | null
  moves: readonly SequenceMove[]
}

interface RequestSum {
  requests: number
  client_errors: number
  server_errors: number
  latencies: number[]
}

/** The counts of one hour, by app, then by store or endpoint. */
interface Hour {
  bucket: Seconds
  reads: Map<string, Map<bigint, ReadCounts>>
  requests: Map<string, Map<string, RequestSum>>
  /** Of all apps, by endpoint, of which there are few. */
  totals: Map<string, RequestSum>
  ingest: IngestCounts | null
}

type Counted = Omit<UsageBatch, 'log'>

/** Sums in memory of at most `most` keys; a request that would need another key is not counted. */
export function createCounters(most: number) {
  let hours: Hour[] = []
  let size = 0

  /** The hour of `now`, which is nearly always the last one. */
  function hourOf(now: Seconds): Hour {
    const bucket = now - (now % usageWidths.hour)
    const last = hours.at(-1)
    if (last?.bucket === bucket) return last
    const found = hours.find(hour => hour.bucket === bucket)
    if (found) return found
    const hour: Hour = { bucket, reads: new Map(), requests: new Map(), totals: new Map(), ingest: null }
    hours.push(hour)
    return hour
  }

  /** The sum for an app and a key, created on first use; undefined when the limit of keys is reached. */
  function sumOf<Key, Sum>(
    sums: Map<string, Map<Key, Sum>>,
    app_id: string,
    key: Key,
    make: () => Sum,
  ): Sum | undefined {
    let ofApp = sums.get(app_id)
    const found = ofApp?.get(key)
    if (found !== undefined || size >= most) return found
    if (!ofApp) {
      ofApp = new Map()
      sums.set(app_id, ofApp)
    }
    const sum = make()
    ofApp.set(key, sum)
    size++
    return sum
  }

  function totalOf({ totals }: Hour, endpoint: string): RequestSum {
    const found = totals.get(endpoint)
    if (found) return found
    const sum = noRequests()
    totals.set(endpoint, sum)
    return sum
  }

  return {
    get size() {
      return size
    },
    /** False when the limit of keys is reached: it is then counted for all apps only. */
    request({ app_id, endpoint, status, milliseconds }: LoggedRequest, now: Seconds): boolean {
      const hour = hourOf(now)
      const bucket = latencyBucketOf(milliseconds)
      count(totalOf(hour, endpoint), status, bucket)
      const sum = sumOf(hour.requests, app_id, endpoint, noRequests)
      if (sum) count(sum, status, bucket)
      return sum !== undefined
    },
    read({ app_id, store_id, kind, rows }: AppRead, now: Seconds): boolean {
      const sum = sumOf(hourOf(now).reads, app_id, store_id, noReads)
      if (!sum) return false
      sum.requests++
      sum[kind] += rows
      sum.last_at = Math.max(sum.last_at, now)
      return true
    },
    ingested({ counts: { stale, ...counts }, newest, moves }: StoredBatch, now: Seconds): void {
      const hour = hourOf(now)
      if (!hour.ingest) size++
      const unchanged = counts.unchanged + stale
      hour.ingest = addIngest(hour.ingest, {
        ...counts,
        unchanged,
        requests: 1,
        last_at: now,
        ...lagOf(newest, now),
        newest_seq: moves.length === 0 ? null : Math.max(...moves.map(({ seq }) => seq)),
      })
    },
    /** Adds sums that could not be written; returns how many requests were left out because of the limit. */
    restore({ reads, requests, ingest }: Counted): number {
      let lost = 0
      // The sums of a day and of all time follow from its hours.
      for (const row of reads.filter(({ width }) => width === usageWidths.hour)) {
        const sum = sumOf(hourOf(row.bucket).reads, row.app_id, row.store_id, noReads)
        if (sum) Object.assign(sum, addReads(sum, row))
        else lost += row.requests
      }
      for (const row of requests.filter(({ width }) => width === usageWidths.hour)) {
        const hour = hourOf(row.bucket)
        const sum =
          row.app_id === allApps
            ? totalOf(hour, row.endpoint)
            : sumOf(hour.requests, row.app_id, row.endpoint, noRequests)
        if (sum) Object.assign(sum, addRequests(sum, row))
        else lost += row.requests
      }
      for (const { width, bucket, ...counts } of ingest) {
        if (width !== usageWidths.hour) continue
        const hour = hourOf(bucket)
        if (!hour.ingest) size++
        hour.ingest = hour.ingest ? addIngest(counts, hour.ingest) : counts
      }
      return lost
    },
    /** Returns all sums, by hour and day, and starts again from zero. */
    take(): Counted {
      const taken = hours
      hours = []
      size = 0
      return rowsOf(taken)
    },
  }
}

function count(sum: RequestSum, status: number, latencyBucket: number): void {
  sum.requests++
  if (status >= 500) sum.server_errors++
  else if (status >= 400) sum.client_errors++
  ;(sum.latencies[latencyBucket] as number)++
}

export const noRequests = (): RequestSum => ({
  requests: 0,
  client_errors: 0,
  server_errors: 0,
  latencies: Array.from({ length: latencyBucketCount }, () => 0),
})

const noReads = (): ReadCounts => ({ requests: 0, orders: 0, items: 0, sales: 0, last_at: 0 })

/** A till's clock may be ahead; its lag is then 0. */
function lagOf(newest: Seconds | null, now: Seconds) {
  if (newest === null) return { lagged: 0, lag_sum: 0, lag_max: 0, lag_last: null }
  const lag = Math.max(0, now - newest)
  return { lagged: 1, lag_sum: lag, lag_max: lag, lag_last: lag }
}

function rowsOf(hours: readonly Hour[]): Counted {
  const reads = new Map<string, ReadDelta>()
  const requests = new Map<string, RequestDelta>()
  const ingest = new Map<string, IngestDelta>()
  for (const hour of hours) {
    for (const width of [usageWidths.hour, usageWidths.day, usageWidths.ever]) {
      const bucket = width === usageWidths.ever ? 0 : bucketOf(hour.bucket, width)
      for (const [app_id, stores] of hour.reads) {
        for (const [store_id, counts] of stores) {
          const row = { store_id, app_id, width, bucket, ...counts }
          fold(reads, `${width} ${bucket} ${store_id} ${app_id}`, row, addReads)
        }
      }
      if (width === usageWidths.ever) continue
      for (const [app_id, endpoints] of [...hour.requests, [allApps, hour.totals] as const]) {
        for (const [endpoint, counts] of endpoints) {
          const row = { app_id, endpoint, width, bucket, ...counts }
          fold(requests, `${width} ${bucket} ${app_id} ${endpoint}`, row, addRequests)
        }
      }
      if (hour.ingest) fold(ingest, `${width} ${bucket}`, { width, bucket, ...hour.ingest }, addIngest)
    }
  }
  return { reads: [...reads.values()], requests: [...requests.values()], ingest: [...ingest.values()] }
}

/** Adds a row to the one with the same key: the hours of a day add up to the day's row. */
function fold<Row>(rows: Map<string, Row>, key: string, row: Row, add: (one: Row, other: Row) => Row): void {
  const existing = rows.get(key)
  rows.set(key, existing === undefined ? row : add(existing, row))
}

/** `more` is the later one. */
const addIngest = <Counts extends IngestCounts>(so_far: Counts | null, more: Counts): Counts =>
  so_far === null
    ? more
    : {
        ...so_far,
        requests: so_far.requests + more.requests,
        stores: so_far.stores + more.stores,
        items: so_far.items + more.items,
        orders: so_far.orders + more.orders,
        unchanged: so_far.unchanged + more.unchanged,
        last_at: Math.max(so_far.last_at, more.last_at),
        lagged: so_far.lagged + more.lagged,
        lag_sum: so_far.lag_sum + more.lag_sum,
        lag_max: Math.max(so_far.lag_max, more.lag_max),
        lag_last: more.lag_last ?? so_far.lag_last,
        newest_seq: more.newest_seq ?? so_far.newest_seq,
      }
