import { html } from 'ghtml'
import manifest from '../../../../package.json' with { type: 'json' }
import type { Overview } from '../../../domain/overview.ts'
import type { Seconds } from '../../../lib/clock.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { ingestCard } from './ingest.view.ts'
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
} from '../../parts/format/amounts.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { facts } from '../../parts/facts.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { type Stat, statTiles } from '../../parts/stat-tiles.ts'
import { table } from '../../parts/table.ts'
import {
  endpointTable,
  figureColumns,
  latencyChart,
  milliseconds,
  type Period,
  periods,
  periodTabs,
  requestsChart,
} from '../../parts/request-figures.ts'

export interface OverviewView {
  viewer: Viewer
  overview: Overview
  period: Period
  now: Seconds
}

export const overviewPage = (view: OverviewView): Page => {
  const { viewer, overview, period } = view
  const { points } = overview.requests
  return layout({
    title: 'Overview',
    viewer,
    path: '/operator',
    body: html`!${pageHeader({
      title: 'Overview',
      lead: { text: `Requests and ingest of the ${periods[period].hint}.` },
      actions: periodTabs(period, one => (one === '24h' ? '/operator' : `/operator?period=${one}`)),
    })}
      !${statTiles(traffic(view))}
      !${statTiles(holdings(overview))}
      <div class="grid-2">
        !${card({ body: requestsChart(points, period) })}
        !${card({ body: latencyChart(points, period) })}
      </div>
      !${ingestCard(view)}
      !${card({ title: 'By endpoint', body: overview.endpoints.length === 0 ? noRequests : endpointTable(overview.endpoints) })}
      !${card({ title: 'Apps with the most requests', body: overview.apps.length === 0 ? noRequests : appTable(overview) })}
      !${card({ title: 'Versions', body: versions(overview) })}`,
  })
}

function traffic({ overview, now, period }: OverviewView): Stat[] {
  const { requests, ingest, last_ingest_at } = overview
  const { total } = requests
  const errors = total.client_errors + total.server_errors
  return [
    { label: 'Requests', text: formatNumber(total.requests), hint: periods[period].hint },
    {
      label: 'Errors',
      text: formatShare(errors, total.requests),
      hint: `${formatCount(total.client_errors, 'client error')}, ${formatCount(total.server_errors, 'server error')}`,
    },
    {
      label: 'Latency',
      text: milliseconds(total.p95),
      hint: total.p95 === null ? 'no requests' : `p95; p99 ${milliseconds(total.p99)}`,
    },
    {
      label: 'Ingest lag',
      text: ingest.total.lag_last === null ? '–' : formatDuration(ingest.total.lag_last),
      hint: last_ingest_at === null ? 'no batch yet' : `last batch ${formatAgo(last_ingest_at, now)}`,
    },
  ]
}

function holdings({ totals, database }: Overview): Stat[] {
  const accounts = totals.merchants + totals.developers + totals.operators
  return [
    { label: 'Stores', href: '/operator/stores', text: formatNumber(totals.stores) },
    {
      label: 'Apps',
      href: '/operator/apps',
      text: formatNumber(totals.apps),
      hint: disabledOf(totals.disabled_apps),
    },
    {
      label: 'Accounts',
      href: '/operator/accounts',
      text: formatNumber(accounts),
      hint: [
        formatCount(totals.merchants, 'merchant'),
        formatCount(totals.developers, 'developer'),
        formatCount(totals.operators, 'operator'),
      ].join(', '),
    },
    { label: 'Database', text: formatBytes(database.bytes), hint: database.version },
  ]
}

const disabledOf = (count: number): string =>
  count === 0 ? 'none disabled' : `${formatNumber(count)} disabled`

type AppRow = Overview['apps'][number]

const appTable = ({ apps }: Overview): string =>
  table<AppRow>({
    caption: 'Requests by app',
    rows: apps,
    columns: [{ title: 'App', html: appName }, ...figureColumns],
  })

const appName = ({ key, name }: AppRow): string =>
  name === null
    ? html`<span class="muted">Unknown app</span>`
    : html`<a href="/operator/apps/${key}">${name}</a>`

const noRequests = emptyState({
  title: 'No requests yet',
  content: { text: 'They appear here a few seconds after an app sends them.' },
})

const versions = ({ database }: Overview): string =>
  facts([
    { term: 'Tillgate', text: manifest.version },
    { term: 'Database', text: `${database.version}, schema ${database.schema}` },
    { term: 'Node', text: process.versions.node },
  ])
