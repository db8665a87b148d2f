import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import type { Seconds } from '../../lib/clock.ts'
import { latencyPercentile, latencyBucketCount } from '../../lib/latency-buckets.ts'
import type {
  LoggedRequest,
  LogQuery,
  RequestCounts,
  RequestsQuery,
  RequestSums,
  UsageSpan,
} from '../../storage/port/index.ts'
import { bucketsOf, type FiguresDeps, lastBuckets } from './figures.ts'

/** Counts and durations of requests; the percentiles are milliseconds, null without requests. */
export interface RequestFigures {
  requests: number
  client_errors: number
  server_errors: number
  p50: number | null
  p95: number | null
  p99: number | null
}

/** The figures of one hour or day; `at` is its first second. */
export interface RequestPoint extends RequestFigures {
  at: Seconds
}

export interface RequestChart {
  /** Oldest first, including those without requests. */
  points: RequestPoint[]
  total: RequestFigures
}

/** The figures of an endpoint or an app. */
export type Ranked = RequestFigures & { key: string }

export interface LogPage {
  entries: LoggedRequest[]
  /** Null when nothing follows. */
  next: LogQuery['before']
}

/** The request figures of one app, or, for the operator, of all. */
export function createRequestFigures({ storage, clock, recorder }: FiguresDeps) {
  /** For all apps it queries one bucket at a time: many apps are many rows, and SQLite blocks the process meanwhile. */
  async function summed(
    app_id: string | null,
    span: UsageSpan,
    by: RequestsQuery['by'],
  ): Promise<RequestSums[]> {
    await recorder.flush()
    if (app_id !== null) return storage.usage.requests({ ...span, app_id, by })
    const sums = new Map<string, RequestSums>()
    for (const at of bucketsOf(span)) {
      const rows = await storage.usage.requests({ width: span.width, from: at, to: at, app_id, by })
      for (const row of rows) {
        const before = sums.get(row.key)
        sums.set(row.key, before ? { key: row.key, ...sum(before, row) } : row)
      }
      await yieldEventLoop()
    }
    return [...sums.values()]
  }

  async function chart(app_id: string | null, span: UsageSpan): Promise<RequestChart> {
    const rows = await summed(app_id, span, 'bucket')
    const byBucket = new Map(rows.map(row => [Number(row.key), row]))
    return {
      points: bucketsOf(span).map(at => ({ at, ...figuresOf(byBucket.get(at) ?? none) })),
      total: figuresOf(rows.reduce(sum, none)),
    }
  }

  /** The chart and the endpoints of all apps from one pass over their rows. */
  async function ofAll(span: UsageSpan): Promise<{ chart: RequestChart; endpoints: Ranked[] }> {
    await recorder.flush()
    const endpoints = new Map<string, RequestCounts>()
    const points: RequestPoint[] = []
    let total = none
    for (const at of bucketsOf(span)) {
      const asked = { width: span.width, from: at, to: at, app_id: null, by: 'endpoint' } as const
      const rows = await storage.usage.requests(asked)
      for (const row of rows) endpoints.set(row.key, sum(endpoints.get(row.key) ?? none, row))
      const all = rows.reduce<RequestCounts>(sum, none)
      points.push({ at, ...figuresOf(all) })
      total = sum(total, all)
      await yieldEventLoop()
    }
    const ofEndpoints = [...endpoints].map(([key, counts]) => ({ key, ...counts }))
    return { chart: { points, total: figuresOf(total) }, endpoints: rankedOf(ofEndpoints) }
  }

  const ranked = async (app_id: string | null, span: UsageSpan, by: 'endpoint' | 'app_id') =>
    rankedOf(await summed(app_id, span, by))

  function rankedOf(rows: readonly RequestSums[]): Ranked[] {
    return rows
      .map(row => ({ key: row.key, ...figuresOf(row) }))
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
  }

  return {
    /** Of all apps, and of requests without a known app, over the last hours or days. */
    ofAll: (unit: 'hour' | 'day', count: number) => ofAll(lastBuckets(unit, count, clock.now())),
    /** `app_id` null: all apps, and requests without a known app. */
    byHour: (app_id: string | null, hours: number): Promise<RequestChart> =>
      chart(app_id, lastBuckets('hour', hours, clock.now())),
    byDay: (app_id: string | null, days: number): Promise<RequestChart> =>
      chart(app_id, lastBuckets('day', days, clock.now())),
    /** By endpoint over the last hours, most requests first; `key` is the endpoint. */
    byEndpoint: (app_id: string | null, hours: number): Promise<Ranked[]> =>
      ranked(app_id, lastBuckets('hour', hours, clock.now()), 'endpoint'),
    /** The same over the last days. */
    byEndpointOfDays: (app_id: string | null, days: number): Promise<Ranked[]> =>
      ranked(app_id, lastBuckets('day', days, clock.now()), 'endpoint'),
    /** By app over the last hours, most requests first; `key` is the app_id, empty for requests without a known app. */
    byApp: (hours: number): Promise<Ranked[]> =>
      ranked(null, lastBuckets('hour', hours, clock.now()), 'app_id'),
    /** The same over the last days. */
    byAppOfDays: (days: number): Promise<Ranked[]> =>
      ranked(null, lastBuckets('day', days, clock.now()), 'app_id'),
    /** Each of these apps over the last hours. */
    async totals(app_ids: readonly string[], hours: number): Promise<Map<string, RequestFigures>> {
      await recorder.flush()
      const span = lastBuckets('hour', hours, clock.now())
      const sums = await Promise.all(
        app_ids.map(app_id => storage.usage.requests({ ...span, app_id, by: 'app_id' })),
      )
      return new Map(app_ids.map((app_id, index) => [app_id, figuresOf(sums[index]?.[0] ?? none)]))
    },
    /** The app's log, newest first. */
    async log(query: LogQuery): Promise<LogPage> {
      await recorder.flush()
      const { limit } = query
      const found = await storage.usage.log({ ...query, limit: limit + 1 })
      const entries = found.slice(0, limit)
      const last = found.length > limit ? entries.at(-1) : undefined
      return { entries, next: last ? { at_ms: last.at_ms, request_id: last.request_id } : null }
    },
    /** The app's request with this id, while the log has it. */
    async find(app_id: string, request_id: string): Promise<LoggedRequest | null> {
      await recorder.flush()
      return storage.usage.logged(app_id, request_id)
    },
  }
}

const none: RequestCounts = {
  requests: 0,
  client_errors: 0,
  server_errors: 0,
  latencies: Array.from({ length: latencyBucketCount }, () => 0),
}

const sum = (one: RequestCounts, other: RequestCounts): RequestCounts => ({
  requests: one.requests + other.requests,
  client_errors: one.client_errors + other.client_errors,
  server_errors: one.server_errors + other.server_errors,
  latencies: one.latencies.map((count, bucket) => count + (other.latencies[bucket] ?? 0)),
})

const figuresOf = ({ requests, client_errors, server_errors, latencies }: RequestCounts): RequestFigures => ({
  requests,
  client_errors,
  server_errors,
  p50: latencyPercentile(latencies, 0.5),
  p95: latencyPercentile(latencies, 0.95),
  p99: latencyPercentile(latencies, 0.99),
})
