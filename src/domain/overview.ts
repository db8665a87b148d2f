import type { Seconds } from '../lib/clock.ts'
import type { Storage, Totals } from '../storage/port/index.ts'
import type { createIngestFigures, IngestChart } from './usage/ingest.ts'
import type { createRequestFigures, RequestChart, RequestFigures } from './usage/requests.ts'

const hours = 24
/** Also the days that the last batch is looked for in. */
const days = 30
const mostApps = 10

/** The time that is looked at: 24 hours by the hour, or 30 days by the day. */
type Period = '24h' | '30d'

interface OverviewDeps {
  storage: Storage
  figures: {
    requests: ReturnType<typeof createRequestFigures>
    ingest: ReturnType<typeof createIngestFigures>
  }
}

export interface Overview {
  totals: Totals
  /** Of the period, like the three that follow. */
  requests: RequestChart
  endpoints: (RequestFigures & { key: string })[]
  /** Most requests first; `name` is null for those of no known app. */
  apps: (RequestFigures & { key: string; name: string | null })[]
  ingest: IngestChart
  /** Within the last 30 days. */
  last_ingest_at: Seconds | null
  database: { bytes: number; version: string; schema: number }
}

/** How it goes, for the operator. */
export async function readOverview({ storage, figures }: OverviewDeps, period: Period): Promise<Overview> {
  const { requests, ingest } = figures
  const isDay = period === '24h'
  const [totals, sent, month, bytes, version, schema] = await Promise.all([
    storage.browse.totals(),
    isDay ? ingest.byHour(hours) : ingest.byDay(days),
    ingest.byDay(days),
    storage.size(),
    storage.version(),
    storage.schema(),
  ])
  // One after the other: each gives way to others between its questions.
  const chart = await (isDay ? requests.byHour(null, hours) : requests.byDay(null, days))
  const endpoints = await (isDay ? requests.byEndpoint(null, hours) : requests.byEndpointOfDays(null, days))
  const apps = await (isDay ? requests.byApp(hours) : requests.byAppOfDays(days))
  const named = apps.slice(0, mostApps).map(async app => ({
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
    database: { bytes, version, schema },
  }
}
