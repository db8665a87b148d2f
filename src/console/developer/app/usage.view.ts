import { html } from 'ghtml'
import type { RequestChart, RequestFigures } from '../../../domain/usage/requests.ts'
import type { App } from '../../../storage/port/index.ts'
import { appsPath } from './frame.view.ts'
import { card } from '../../parts/card.ts'
import { formatCompact, formatNumber } from '../../parts/format/numbers.ts'
import { statTiles } from '../../parts/stat-tiles.ts'
import {
  type EndpointFigures,
  endpointTable,
  latencyChart,
  milliseconds,
  type Period,
  periods,
  periodTabs,
  requestsChart,
} from '../../parts/request-figures.ts'

export interface Usage {
  period: Period
  chart: RequestChart
  endpoints: EndpointFigures[]
}

/** The app's requests, errors and latency in the chosen period. */
export function usageSection(app: App, { period, chart: { points, total }, endpoints }: Usage): string {
  const at = (one: string): string => `${appsPath}/${app.id}?period=${one}#usage`
  const heading = html`<div class="card-header" id="usage">
    <h2>Usage</h2>
    !${periodTabs(period, at)}
  </div>`
  return html`!${heading}
    !${tiles(app, total, period)}
    <div class="grid-2">
      !${card({ body: requestsChart(points, period) })}
      !${card({ body: latencyChart(points, period) })}
    </div>
    !${endpoints.length === 0 ? '' : card({ title: 'By endpoint', body: endpointTable(endpoints) })}`
}

function tiles(app: App, total: RequestFigures, period: Period): string {
  const errors = total.client_errors + total.server_errors
  const share = total.requests === 0 ? 0 : (errors / total.requests) * 100
  const { hint } = periods[period]
  return statTiles([
    { label: 'Requests', text: formatCompact(total.requests), hint },
    {
      label: 'Errors',
      text: formatCompact(errors),
      hint: errors === 0 ? hint : `${formatNumber(share)} % of the requests`,
      ...(errors > 0 && { href: `${appsPath}/${app.id}/requests?errors=yes` }),
    },
    { label: 'Median latency', text: milliseconds(total.p50), hint: 'p50' },
    { label: '95 % within', text: milliseconds(total.p95), hint: 'p95' },
    { label: '99 % within', text: milliseconds(total.p99), hint: 'p99' },
  ])
}
