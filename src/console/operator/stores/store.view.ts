import { html } from 'ghtml'
import type { DayOfReads } from '../../../domain/usage/reads.ts'
import type { Seconds } from '../../../lib/clock.ts'
import type { Account, ReadCounts, StoreDetail, StoreReader } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { chart } from '../../parts/chart/chart.ts'
import { largestSeries } from '../../parts/chart/series.ts'
import { facts } from '../../parts/facts.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { table } from '../../parts/table.ts'
import { seqWithAge } from '../../parts/format/seq.ts'
import { formatTime, storeTime, viewerTime } from '../../parts/format/time.ts'
import { dataLinks } from '../../store-data/frame.view.ts'

const path = '/operator/stores'

export interface StoreView {
  viewer: Viewer
  store: StoreDetail
  /** The account with the merchant's email; null when there is none. */
  merchant: Account | null
  readers: readonly StoreReader[]
  /** By app, for the last 30 days. */
  reads: ReadonlyMap<string, DayOfReads[]>
  /** By app, of all its reads. */
  ever: ReadonlyMap<string, ReadCounts>
  names: ReadonlyMap<string, string>
  now: Seconds
  /** The current feed of all kinds. */
  feed: string
}

export const storePage = (view: StoreView): Page =>
  layout({
    title: view.store.name,
    viewer: view.viewer,
    path: `${path}/${view.store.id}`,
    body: html`!${pageHeader({
      title: view.store.name,
      back: { href: path, label: 'Stores' },
      actions: dataButtons(`${path}/${view.store.id}`),
    })}
      !${card({ title: 'Store', body: storeFacts(view) })}
      !${card({ body: readChart(view) })}
      !${card({ title: 'Apps that can read it', body: readerTable(view) })}`,
  })

const dataButtons = (base: string): string =>
  dataLinks(base)
    .map(({ href, label }) => html`<a class="button secondary" href="${href}">${label}</a>`)
    .join('')

const storeFacts = ({ store, merchant, now, feed }: StoreView): string =>
  facts([
    { term: 'Id', text: String(store.id) },
    { term: 'Merchant', html: merchantFact(store, merchant) },
    { term: 'Time zone', html: html`${store.timezone}, now !${storeTime(now, store.timezone)}` },
    { term: 'Newest order', html: moment(store.last_order_at, 'none yet') },
    { term: 'Last order update', html: moment(store.last_change_at, 'none yet') },
    { term: 'Newest change', text: store.seq === 0 ? 'none yet' : seqWithAge(store.seq, now) },
    { term: 'Feed', html: html`<code class="value">${feed}</code>` },
  ])

function merchantFact({ merchant }: StoreDetail, account: Account | null): string {
  if (merchant === null) return 'None, so nobody can allow an app to read it'
  if (account) return html`<a href="/operator/accounts/${account.id}">${merchant}</a>`
  return html`${merchant} <span class="muted">(no account has this email yet)</span>`
}

const moment = (at: Seconds | null | undefined, otherwise: string): string =>
  at === null || at === undefined ? otherwise : viewerTime(at)

/** One series per app: orders, items and sales figures together. */
function readChart({ reads, names }: StoreView): string {
  const [days = []] = reads.values()
  const series = [...reads].map(([app_id, each]) => ({
    name: names.get(app_id) ?? app_id,
    values: each.map(({ orders, items, sales }) => orders + items + sales),
  }))
  return chart({
    id: 'reads',
    title: 'Orders, items and sales read, by day (UTC)',
    kind: 'stacked',
    points: days.map(({ day }) => formatTime(day, 'UTC', 'day')),
    pointName: 'Day (UTC)',
    series: largestSeries(series, 'Other apps'),
    empty: 'Nothing was read in the last 30 days.',
  })
}

const readerTable = ({ readers, ever }: StoreView): string =>
  readers.length === 0
    ? html`<p class="muted">None.</p>`
    : table<StoreReader>({
        caption: 'Apps that can read the store',
        rows: readers,
        columns: [
          { title: 'App', html: appOf },
          { title: 'Allowed by', html: allowedBy },
          { title: 'Since', html: ({ allowed_at }) => viewerTime(allowed_at, { precision: 'day' }) },
          { title: 'Activated', html: ({ activated_at }) => moment(activated_at, 'not yet') },
          { title: 'Last read', html: ({ app_id }) => moment(ever.get(app_id)?.last_at, 'never') },
        ],
      })

const appOf = ({ app_id, app_name, app_disabled_at }: StoreReader): string =>
  html`<a href="/operator/apps/${app_id}">${app_name}</a>
    !${app_disabled_at === null ? '' : badge('Disabled', 'bad')}`

const allowedBy = ({ account_id, account_email }: StoreReader): string =>
  account_id === null
    ? 'command line'
    : html`<a href="/operator/accounts/${account_id}">${account_email ?? account_id}</a>`
