import type { Seconds } from '../lib/clock.ts'
import type { Storage, Totals } from '../storage/port.ts'
import type { createIngestFigures, IngestChart } from './usage/ingest.ts'
import type { createRequestFigures, RequestChart, RequestFigures } from './usage/requests.ts'

/** Days that the last batch is looked for in. */
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
  const hours = period === '24h' ? 24 : days * 24
  const [totals, requests, endpoints, apps, ingest, month, bytes, version, schema] = await Promise.all([
    storage.browse.totals(),
    period === '24h' ? figures.requests.byHour(null, hours) : figures.requests.byDay(null, days),
    figures.requests.byEndpoint(null, hours),
    figures.requests.byApp(hours),
    period === '24h' ? figures.ingest.byHour(hours) : figures.ingest.byDay(days),
    figures.ingest.byDay(days),
    storage.size(),
    storage.version(),
    storage.schema(),
  ])
  const named = apps.slice(0, mostApps).map(async app => ({
    ...app,
    name: app.key === '' ? null : ((await storage.apps.find(app.key))?.name ?? app.key),
  }))
  return {
    ...{ totals, requests, endpoints, ingest },
    apps: await Promise.all(named),
    last_ingest_at: month.total.last_at,
    database: { bytes, version, schema },
  }
}
