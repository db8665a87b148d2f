import { html } from 'ghtml'
import type { Overview } from '../../../domain/overview.ts'
import type { IngestFigures } from '../../../domain/usage/ingest.ts'
import type { Seconds } from '../../../lib/clock.ts'
import { formatAgo, formatCount, formatDuration } from '../../parts/format/amounts.ts'
import { card } from '../../parts/card.ts'
import { chart } from '../../parts/chart/chart.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { seqWithAge } from '../../parts/format/seq.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { by, type Period, periods, pointsOf } from '../../parts/request-figures.ts'

interface IngestView {
  overview: Overview
  period: Period
  now: Seconds
}

/** The platform's batches, and the lag of their orders. */
export function ingestCard({ overview, period, now }: IngestView): string {
  const { ingest, last_ingest_at } = overview
  const orders = chart({
    id: 'ingest',
    title: `Orders stored, ${by[period]}`,
    kind: 'stacked',
    ...pointsOf(ingest.points, period),
    series: [{ name: 'Orders', values: ingest.points.map(({ orders }) => orders) }],
    empty: `The platform sent no orders in the ${periods[period].hint}.`,
  })
  const last =
    last_ingest_at === null
      ? 'None in the last 30 days'
      : html`!${viewerTime(last_ingest_at)}, ${formatAgo(last_ingest_at, now)}`
  return card({
    title: 'Ingest',
    body: html`!${orders}
      !${facts([
        { term: 'Last batch', html: last },
        { term: 'Batches', text: batches(ingest.total) },
        ...lagOf(ingest.total),
        { term: 'Newest change', text: newestChange(overview, now) },
        { term: 'Waiting requests', text: `${formatNumber(overview.waiting)} in this process` },
      ])}
      <p class="muted">Lag is the time from an order’s last change to its commit in this database. The newest change is
        the last order or item that changed, with its number in its store’s sequence. In the other figures, records
        that <code>tillgate import</code> loads do not count. Waiting requests are those that apps hold open with
        <code>wait</code> until something changes.</p>`,
  })
}

function newestChange({ newest_seq }: Overview, now: Seconds): string {
  return newest_seq === null ? 'None yet' : seqWithAge(newest_seq, now)
}

function batches({ requests, orders, items, stores, unchanged }: IngestFigures): string {
  if (requests === 0) return 'None'
  const stored = [formatCount(orders, 'order'), formatCount(items, 'item'), formatCount(stores, 'store')]
  return `${formatNumber(requests)}, with ${stored.join(', ')}; ${formatCount(unchanged, 'record')} unchanged`
}

const lagOf = ({ lag_last, lag_mean, lag_max }: IngestFigures): Fact[] =>
  lag_last === null || lag_mean === null || lag_max === null
    ? []
    : [
        {
          term: 'Lag',
          text: `last ${formatDuration(lag_last)}, average ${formatDuration(lag_mean)}, maximum ${formatDuration(lag_max)}`,
        },
      ]
