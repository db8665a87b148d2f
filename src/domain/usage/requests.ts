import type { Seconds } from '../../lib/clock.ts'
import { latencyPercentile } from '../../lib/latency-buckets.ts'
import {
  addRequests,
  type LoggedRequest,
  type LogQuery,
  type RequestCounts,
  type UsageSpan,
} from '../../storage/port/index.ts'
import { noRequests } from './counters.ts'
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
  async function chart(app_id: string, span: UsageSpan): Promise<RequestChart> {
    await recorder.flush()
    const rows = await storage.usage.requests({ ...span, app_id, by: 'bucket' })
    const byBucket = new Map(rows.map(row => [Number(row.key), row]))
    return {
      points: bucketsOf(span).map(at => ({ at, ...figuresOf(byBucket.get(at) ?? none) })),
      total: figuresOf(rows.reduce<RequestCounts>(addRequests, none)),
    }
  }

  async function endpoints(app_id: string, span: UsageSpan): Promise<Ranked[]> {
    await recorder.flush()
    const rows = await storage.usage.requests({ ...span, app_id, by: 'endpoint' })
    return rows
      .map(row => ({ key: row.key, ...figuresOf(row) }))
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
  }

  async function totals(app_ids: readonly string[], span: UsageSpan): Promise<Ranked[]> {
    const sums = await Promise.all(
      app_ids.map(app_id => storage.usage.requests({ ...span, app_id, by: 'app_id' })),
    )
    return app_ids.map((key, index) => ({ key, ...figuresOf(sums[index]?.[0] ?? none) }))
  }

  return {
    /** `app_id` may be `allApps`, here and for the endpoints. */
    byHour: (app_id: string, hours: number): Promise<RequestChart> =>
      chart(app_id, lastBuckets('hour', hours, clock.now())),
    byDay: (app_id: string, days: number): Promise<RequestChart> =>
      chart(app_id, lastBuckets('day', days, clock.now())),
    /** By endpoint over the last hours, most requests first; `key` is the endpoint. */
    byEndpoint: (app_id: string, hours: number): Promise<Ranked[]> =>
      endpoints(app_id, lastBuckets('hour', hours, clock.now())),
    /** The same over the last days. */
    byEndpointOfDays: (app_id: string, days: number): Promise<Ranked[]> =>
      endpoints(app_id, lastBuckets('day', days, clock.now())),
    /** The apps with the most requests, most first; `key` is the app_id, empty for requests without a known app. */
    async busiestApps(unit: 'hour' | 'day', count: number, limit: number): Promise<Ranked[]> {
      await recorder.flush()
      const span = lastBuckets(unit, count, clock.now())
      return totals(await storage.usage.busiestApps(span, limit), span)
    },
    /** Each of these apps over the last hours. */
    async totals(app_ids: readonly string[], hours: number): Promise<Map<string, RequestFigures>> {
      await recorder.flush()
      const rows = await totals(app_ids, lastBuckets('hour', hours, clock.now()))
      return new Map(rows.map(({ key, ...figures }) => [key, figures]))
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

const none: RequestCounts = noRequests()

const figuresOf = ({ requests, client_errors, server_errors, latencies }: RequestCounts): RequestFigures => ({
  requests,
  client_errors,
  server_errors,
  p50: latencyPercentile(latencies, 0.5),
  p95: latencyPercentile(latencies, 0.95),
  p99: latencyPercentile(latencies, 0.99),
})
