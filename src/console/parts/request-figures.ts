import type { RequestFigures, RequestPoint } from '../../domain/usage/requests.ts'
import { chart } from './chart/chart.ts'
import { endpointCode } from './format/endpoint.ts'
import { formatNumber } from './format/numbers.ts'
import { type Column, table } from './table.ts'
import { tabs } from './tabs.ts'
import { formatTime } from './format/time.ts'

/** Charts and tables of requests, for the developer of an app and for the operator. */

export const periods = {
  '24h': { label: '24 hours', hint: 'last 24 hours', hours: 24 },
  '30d': { label: '30 days', hint: 'last 30 days', hours: 30 * 24 },
}

export type Period = keyof typeof periods
export const isPeriod = (name: unknown): name is Period =>
  typeof name === 'string' && Object.hasOwn(periods, name)

/** Links to each period; `at` gives the address. */
export const periodTabs = (period: Period, at: (one: string) => string): string =>
  tabs({
    label: 'Period',
    current: at(period),
    entries: Object.entries(periods).map(([one, { label }]) => ({ href: at(one), label })),
    small: true,
  })

/** Percentiles are estimated from a histogram, so more digits would be false precision. */
const estimate = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(value < 10 ? 2 : 3))

export const milliseconds = (value: number | null): string =>
  value === null ? '–' : `${formatNumber(estimate(value) ?? 0)} ms`

const pointLabel = (at: number, period: Period): string => {
  const [date = '', clock = ''] = formatTime(at, 'UTC').split(', ')
  return period === '24h' ? clock : date.replace(/ \d+$/, '')
}

/** The labels of a chart's points. */
export const pointsOf = (points: readonly { at: number }[], period: Period) => ({
  points: points.map(({ at }) => pointLabel(at, period)),
  pointName: { '24h': 'Hour', '30d': 'Day (UTC)' }[period],
  // A day of UTC is none of the viewer's, so it keeps its name.
  ...(period === '24h' && { hours: points.map(({ at }) => at) }),
})

export const by = { '24h': 'by hour', '30d': 'by day (UTC)' }
const nothing = { '24h': 'No requests in the last 24 hours.', '30d': 'No requests in the last 30 days.' }

export const requestsChart = (points: readonly RequestPoint[], period: Period): string =>
  chart({
    id: 'requests',
    title: `Requests, ${by[period]}`,
    kind: 'stacked',
    ...pointsOf(points, period),
    series: [
      { name: 'Answered', values: points.map(one => one.requests - one.client_errors - one.server_errors) },
      { name: 'Client errors (4xx)', values: points.map(one => one.client_errors) },
      { name: 'Server errors (5xx)', values: points.map(one => one.server_errors), tone: 'bad' },
    ],
    empty: nothing[period],
  })

export const latencyChart = (points: readonly RequestPoint[], period: Period): string =>
  chart({
    id: 'latency',
    title: `Latency, ${by[period]}`,
    kind: 'lines',
    ...pointsOf(points, period),
    unit: 'ms',
    series: (['p50', 'p95', 'p99'] as const).map(name => ({
      name,
      values: points.map(point => estimate(point[name])),
    })),
    empty: nothing[period],
  })

const number = (
  title: string,
  value: (row: RequestFigures) => number,
): Column<RequestFigures> & { text(row: RequestFigures): string } => ({
  title,
  align: 'end',
  text: row => formatNumber(value(row)),
})

/** The columns after the row's name, which is an endpoint or an app. */
export const figureColumns = [
  number('Requests', ({ requests }) => requests),
  number('Client errors (4xx)', ({ client_errors }) => client_errors),
  number('Server errors (5xx)', ({ server_errors }) => server_errors),
  ...(['p50', 'p95', 'p99'] as const).map(name => ({
    title: name,
    align: 'end' as const,
    text: (row: RequestFigures) => milliseconds(row[name]),
  })),
]

export type EndpointFigures = RequestFigures & { key: string }

export const endpointTable = (endpoints: readonly EndpointFigures[]): string =>
  table<EndpointFigures>({
    caption: 'Requests by endpoint',
    rows: endpoints,
    columns: [{ title: 'Endpoint', html: ({ key }) => endpointCode(key) }, ...figureColumns],
  })
