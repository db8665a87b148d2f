import { html } from 'ghtml'
import type { Page } from '../layout.ts'
import type { OrderFilter, SearchPlace, StoredOrder } from '../../domain/store-data/orders.ts'
import type { Found } from '../../domain/store-data/scan.ts'
import { parseDatetime } from '../../lib/datetime.ts'
import { addDays } from '../../lib/local-date.ts'
import { card } from '../parts/card.ts'
import { emptyState } from '../parts/empty-state.ts'
import { filterForm } from '../parts/form/filter-form.ts'
import { searchForm } from '../parts/form/search-form.ts'
import { formatMoney } from '../parts/format/money.ts'
import { formatLongDay, formatTime } from '../parts/format/time.ts'
import { pagination } from '../parts/pagination.ts'
import { type Column, table } from '../parts/table.ts'
import { withQuery } from '../parts/with-query.ts'
import { orderCursor, searchCursor } from './cursor.ts'
import { dataFrame, exportLink } from './frame.view.ts'
import {
  paymentName,
  paymentOptions,
  sourceName,
  sourceOptions,
  statusBadge,
  statusOptions,
} from './labels.ts'
import { paidOf } from './paid.ts'
import type { OpenStore } from './store.ts'

interface OrdersView {
  open: OpenStore
  /** `yyyy-MM-dd` in the store's time zone; so is `today`. */
  day: string
  today: string
  filter: OrderFilter
  isFirst: boolean
  found: Found<StoredOrder>
}

const queryOf = ({ day, filter: { status, source, payment } }: OrdersView) => ({
  day,
  status,
  source,
  payment,
})

export const ordersPage = (view: OrdersView): Page => {
  const { open, day, found, isFirst } = view
  const path = `${open.base}/orders`
  return dataFrame({
    open,
    current: 'orders',
    title: `Orders of ${formatLongDay(day)}`,
    actions: exportLink(withQuery(`${path}/export`, queryOf(view))),
    body: html`!${numberSearch(path, '')}
      !${filters(view)}
      !${dayLine(view)}
      !${found.entries.length === 0 ? nothing(view) : card({ body: orderTable(found.entries, open, timeOfDay) })}
      !${pagination({
        label: 'Orders',
        newer: isFirst ? null : withQuery(path, queryOf(view)),
        older:
          found.next === null ? null : withQuery(path, { ...queryOf(view), after: orderCursor(found.next) }),
        words: { newer: 'First', older: 'Next' },
      })}`,
  })
}

const numberSearch = (path: string, q: string): string =>
  searchForm({
    action: path,
    label: 'Order number',
    value: q,
    placeholder: 'Part of a number, or a whole id',
  })

const filters = ({ open, day, filter }: OrdersView): string =>
  filterForm({
    action: `${open.base}/orders`,
    label: 'Filter',
    fields: html`<label for="filter-day">Day <input type="date" id="filter-day" name="day" value="${day}"></label>`,
    selects: [
      { name: 'status', label: 'Status', all: 'Any', value: shown(filter.status), options: statusOptions },
      { name: 'source', label: 'Source', all: 'Any', value: shown(filter.source), options: sourceOptions },
      {
        name: 'payment',
        label: 'Payment',
        all: 'Any',
        value: shown(filter.payment),
        options: paymentOptions,
      },
    ],
  })

const shown = (code: number | null): string => (code === null ? '' : String(code))

/** The day, and links to the days beside it. */
function dayLine(view: OrdersView): string {
  const { open, day, today } = view
  const to = (other: string, label: string): string =>
    html`<a href="${withQuery(`${open.base}/orders`, { ...queryOf(view), day: other })}">${label}</a>`
  return html`<div class="day"><h2>${formatLongDay(day)}</h2>
    <nav aria-label="Days">!${to(addDays(day, -1), 'Day before')}!${day < today ? to(addDays(day, 1), 'Day after') : ''}</nav>
  </div>`
}

function nothing({ open, day, filter, found, isFirst }: OrdersView): string {
  const path = `${open.base}/orders`
  if (open.store.last_order_at === null) {
    return emptyState({
      title: 'This store has no orders yet',
      content: { text: 'The point-of-sale platform sends them as they happen.' },
    })
  }
  if (found.next !== null) {
    return emptyState({
      title: 'No match so far',
      content: { text: 'The day has many orders. Press Next to look at more of them.' },
    })
  }
  if (Object.values(filter).some(code => code !== null)) {
    return emptyState({
      title: 'No orders of this day match',
      content: { text: 'Change the filter, or look at another day.' },
      action: { href: withQuery(path, { day }), label: 'All orders of the day' },
    })
  }
  return emptyState({
    title: isFirst ? 'No orders on this day' : 'No more orders',
    content: { text: 'Pick another day, or go to the newest order.' },
    action: { href: path, label: 'Newest orders' },
  })
}

const timeOfDay = (seconds: number, zone: string): string =>
  formatTime(seconds, zone, 'second').split(', ')[1] ?? ''

function orderTable(
  rows: readonly StoredOrder[],
  { base, store }: OpenStore,
  time: (seconds: number, zone: string) => string,
): string {
  const columns: Column<StoredOrder>[] = [
    { title: 'Time', text: ({ created_at }) => time(parseDatetime(created_at) ?? 0, store.timezone) },
    {
      title: 'Order',
      names: true,
      html: ({ id, order_number }) =>
        html`<a href="${withQuery(`${base}/order`, { id })}">${order_number ?? id}</a>`,
    },
    { title: 'Status', html: ({ status }) => statusBadge(status) },
    { title: 'Source', text: ({ source_type, source }) => sourceName(source_type, source) },
    { title: 'Payment', text: paymentsOf },
    { title: 'Subtotal', align: 'end', text: ({ subtotal }) => formatMoney(subtotal) },
    { title: 'Paid', align: 'end', text: order => formatMoney(paidOf(order)) },
  ]
  return table<StoredOrder>({ caption: 'Orders', rows, columns })
}

const paymentsOf = ({ payments }: StoredOrder): string =>
  payments.length === 0
    ? '–'
    : [...new Set(payments.map(({ type, name }) => paymentName(type, name)))].join(', ')

interface SearchView {
  open: OpenStore
  q: string
  from: SearchPlace | null
  found: { entries: StoredOrder[]; next: SearchPlace | null }
}

export const searchPage = ({ open, q, from, found }: SearchView): Page => {
  const path = `${open.base}/orders`
  return dataFrame({
    open,
    current: 'orders',
    title: `Orders with ${q}`,
    body: html`!${numberSearch(path, q)}
      <h2>Orders with “${q}”</h2>
      !${
        found.entries.length === 0
          ? emptyState({
              title: found.next === null ? 'No order has this number' : 'No match so far',
              content: {
                text:
                  found.next === null
                    ? 'Search for a part of the order number, or for the whole id.'
                    : 'Older orders have not been searched yet.',
              },
              action: { href: path, label: 'Orders by day' },
            })
          : card({ body: orderTable(found.entries, open, (seconds, zone) => formatTime(seconds, zone)) })
      }
      !${pagination({
        label: 'Orders',
        newer: from === null ? null : withQuery(path, { q }),
        older: found.next === null ? null : withQuery(path, { q, after: searchCursor(found.next) }),
        words: { newer: 'Newest', older: 'Search older orders' },
      })}`,
  })
}
