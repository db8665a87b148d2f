import { html } from 'ghtml'
import type { Page } from '../layout.ts'
import type { SoldCount, StoreSales } from '../../domain/store-data/sales.ts'
import { card } from '../parts/card.ts'
import { chart } from '../parts/chart/chart.ts'
import { emptyState } from '../parts/empty-state.ts'
import { filterForm } from '../parts/form/filter-form.ts'
import { formatNumber } from '../parts/format/numbers.ts'
import { formatShortDay, zoneName } from '../parts/format/time.ts'
import { notice } from '../parts/notice.ts'
import { pagination } from '../parts/pagination.ts'
import { table } from '../parts/table.ts'
import { withQuery } from '../parts/with-query.ts'
import { dataFrame, exportLink } from './frame.view.ts'
import type { OpenStore } from './store.ts'

interface SalesView {
  open: OpenStore
  /** `yyyy-MM-dd`, oldest first. */
  dates: readonly string[]
  problem: string | undefined
  sales: StoreSales
  /** The items of this page of the table, and those with a series of their own. */
  rows: readonly SoldCount[]
  charted: readonly SoldCount[]
  names: ReadonlyMap<bigint, string>
  /** From 1. */
  page: number
  last: number
}

export const salesPage = (view: SalesView): Page => {
  const { open, dates, problem, sales, page, last } = view
  const path = `${open.base}/sales`
  const query = { from: dates[0] ?? '', to: dates.at(-1) ?? '' }
  return dataFrame({
    open,
    current: 'sales',
    title: 'Sales',
    actions: exportLink(withQuery(`${path}/export`, query)),
    body: html`!${problem === undefined ? '' : notice({ tone: 'warn', content: { text: problem } })}
      !${filterForm({
        action: path,
        label: 'Period',
        selects: [],
        fields: html`<label for="from">First day <input type="date" id="from" name="from" value="${query.from}"></label>
          <label for="to">Last day <input type="date" id="to" name="to" value="${query.to}"></label>`,
      })}
      !${sales.total.length === 0 ? nothing(open) : html`!${card({ body: salesChart(view) })}!${card({ title: 'Sold in the period', body: itemTable(view) })}`}
      !${pagination({
        label: 'Items',
        newer: page > 1 ? withQuery(path, { ...query, page: page === 2 ? null : page - 1 }) : null,
        older: page < last ? withQuery(path, { ...query, page: page + 1 }) : null,
        words: { newer: 'Previous', older: 'Next' },
        position: `Page ${page} of ${last}`,
      })}
      <p class="muted">Counts the lines of paid and partly refunded orders by the time the order was created, as the API does.</p>`,
  })
}

const nothing = ({ base, store }: OpenStore): string =>
  store.last_order_at === null
    ? emptyState({
        title: 'This store has no orders yet',
        content: { text: 'Sales are counted from its orders.' },
      })
    : emptyState({
        title: 'Nothing was sold in this period',
        content: { text: 'Pick other days.' },
        action: { href: `${base}/orders`, label: 'Newest orders' },
      })

const nameOf = ({ names }: SalesView, id: bigint): string => names.get(id) ?? `Item ${id}`

/** The most sold items, and the rest together. */
function salesChart(view: SalesView): string {
  const { open, sales, charted } = view
  const ids = charted.map(({ item_id }) => item_id)
  const days = sales.days.map(({ sold }) => new Map(sold.map(({ item_id, count }) => [item_id, count])))
  const rest = sales.days.map(({ sold }) =>
    sold.reduce((sum, { item_id, count }) => (ids.includes(item_id) ? sum : sum + count), 0),
  )
  const series = ids.map(id => ({ name: nameOf(view, id), values: days.map(day => day.get(id) ?? 0) }))
  return chart({
    id: 'sales',
    title: `Sold by day (${zoneName(open.store.timezone)})`,
    kind: 'stacked',
    points: sales.days.map(({ date }) => formatShortDay(date)),
    pointName: 'Day',
    series: sales.total.length > ids.length ? [...series, { name: 'Other items', values: rest }] : series,
    empty: 'Nothing was sold in this period.',
  })
}

const itemTable = (view: SalesView): string =>
  table<SoldCount>({
    caption: 'Items sold in the period, most sold first',
    rows: view.rows,
    columns: [
      { title: 'Item', text: ({ item_id }) => nameOf(view, item_id) },
      { title: 'Id', html: ({ item_id }) => html`<span class="nowrap">${item_id}</span>` },
      { title: 'Sold', align: 'end', text: ({ count }) => formatNumber(count) },
    ],
  })
