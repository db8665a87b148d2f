import type { Seconds } from '../lib/clock.ts'
import { allApps, type Storage, type Totals } from '../storage/port/index.ts'
import type { createIngestFigures, IngestChart } from './usage/ingest.ts'
import type { createRequestFigures, Ranked, RequestChart } from './usage/requests.ts'

const hours = 24
/** Also the days that are searched for the last batch. */
const days = 30
const maxApps = 10

/** 24 hours by the hour, or 30 days by the day. */
export type OverviewPeriod = '24h' | '30d'

interface OverviewDeps {
  storage: Storage
  figures: {
    requests: ReturnType<typeof createRequestFigures>
    ingest: ReturnType<typeof createIngestFigures>
  }
  waiting: { readonly size: number }
}

export interface Overview {
  totals: Totals
  /** In the period, like the next three. */
  requests: RequestChart
  endpoints: Ranked[]
  /** Most requests first; `name` is null for requests without a known app. */
  apps: (Ranked & { name: string | null })[]
  ingest: IngestChart
  /** Within the last 30 days. */
  last_ingest_at: Seconds | null
  /** The highest number that a change of an order or item got, of all stores. */
  newest_seq: number | null
  /** Requests that this process holds until something changes. */
  waiting: number
  database: { bytes: number; version: string; schema: number }
}

/** The figures of the operator's overview page. */
export async function readOverview(
  { storage, figures, waiting }: OverviewDeps,
  period: OverviewPeriod,
): Promise<Overview> {
  const { requests, ingest } = figures
  const isDay = period === '24h'
  const [totals, chart, endpoints, sent, month, bytes, version, schema] = await Promise.all([
    storage.browse.totals(),
    isDay ? requests.byHour(allApps, hours) : requests.byDay(allApps, days),
    isDay ? requests.byEndpoint(allApps, hours) : requests.byEndpointOfDays(allApps, days),
    isDay ? ingest.byHour(hours) : ingest.byDay(days),
    ingest.byDay(days),
    storage.size(),
    storage.version(),
    storage.schema(),
  ])
  const apps = await (isDay
    ? requests.busiestApps('hour', hours, maxApps)
    : requests.busiestApps('day', days, maxApps))
  const named = apps.map(async app => ({
    ...app,
    name: app.key === '' ? null : ((await storage.apps.find(app.key))?.name ?? app.key),
  }))
  return {
    totals,
    requests: chart,
    endpoints,
    ingest: sent,
    apps: await Promise.all(named),
    last_ingest_at: month.total.last_at,
    // An import is in no figures; only where it is the only source are all stores read.
    newest_seq: month.total.newest_seq ?? (await storage.browse.newestSeq()),
    waiting: waiting.size,
    database: { bytes, version, schema },
  }
}
