import type { Static } from 'typebox'
import type { OrderFilter, StoredOrder } from '../../domain/store-data/orders.ts'
import { windowOf } from '../../domain/store-data/sales.ts'
import { parseDatetime } from '../../lib/datetime.ts'
import { isDate, localDate } from '../../lib/local-date.ts'
import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { plainMoney } from '../parts/format/money.ts'
import { formatTime } from '../parts/format/time.ts'
import { sendHtml } from '../send-html.ts'
import { readOrderCursor, readSearchCursor } from './cursor.ts'
import { sendCsv } from '../parts/csv-file.ts'
import {
  codeIn,
  fulfillmentName,
  paymentName,
  paymentOptions,
  sourceName,
  sourceOptions,
  statusName,
  statusOptions,
} from './labels.ts'
import { ordersPage, searchPage } from './orders.view.ts'
import { paidOf } from './paid.ts'
import { type OpenStore, readerOf } from './store.ts'

const pageSize = 50
/** Of an order's id, in characters. */
const longestId = 255

const ordersQuery = fields({ day: text, status: text, source: text, payment: text, after: text, q: text })

/** The orders of a store by day, and by number. */
export function storeOrderPages(scope: PageScope, { data, clock }: ConsoleDeps, base: string): void {
  const schema = { querystring: ordersQuery }

  scope.get(`${base}/orders`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const reader = readerOf(account)
    const { id: store_id, timezone } = open.store
    const id = query.q.trim().slice(0, longestId)
    const q = id.replace(/^#/, '')
    if (q !== '') {
      const from = readSearchCursor(query.after)
      const found = await data.orders.search(reader, { store_id, text: q, id, from, limit: pageSize })
      return sendHtml(reply, searchPage({ open, q, from, found }))
    }
    const day = dayOf(open, query.day)
    const filter = filterOf(query)
    const behind = readOrderCursor(query.after)
    const window = windowOf(day, day, timezone)
    const found = await data.orders.page(reader, { store_id, window, filter, behind, limit: pageSize })
    return sendHtml(reply, ordersPage({ open, day, today: today(open), filter, isFirst: !behind, found }))
  })

  scope.get(`${base}/orders/export`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const { id: store_id, timezone } = open.store
    const day = dayOf(open, query.day)
    const all = data.orders.all(readerOf(account), store_id, windowOf(day, day, timezone), filterOf(query))
    return sendCsv(reply, `orders-${store_id}-${day}`, columns, rowsOf(all, timezone))
  })

  const today = ({ store }: OpenStore): string => localDate(clock.now(), store.timezone)

  /** Without a day, that of the newest order until today. */
  function dayOf(open: OpenStore, asked: string): string {
    if (isDate(asked)) return asked
    const { last_order_at, timezone } = open.store
    const newest = last_order_at === null ? today(open) : localDate(last_order_at, timezone)
    return newest < today(open) && isDate(newest) ? newest : today(open)
  }
}

const filterOf = ({ status, source, payment }: Static<typeof ordersQuery>): OrderFilter => ({
  status: codeIn(statusOptions, status),
  source: codeIn(sourceOptions, source),
  payment: codeIn(paymentOptions, payment),
})

const columns = [
  'order_id',
  'order_number',
  'status',
  'created_at_store_time',
  'created_at_utc',
  'paid_at_utc',
  'source',
  'fulfillment',
  'subtotal',
  'tax_total',
  'tips',
  'delivery_fee',
  'service_surcharge_fee',
  'rounding',
  'paid',
  'payments',
  'promotions',
  'lines',
]

async function* rowsOf(batches: AsyncIterable<StoredOrder[]>, zone: string) {
  for await (const orders of batches) yield orders.map(order => rowOf(order, zone))
}

const rowOf = (order: StoredOrder, zone: string) => [
  order.id,
  order.order_number,
  statusName(order.status),
  formatTime(parseDatetime(order.created_at) ?? 0, zone, 'second'),
  order.created_at,
  order.paid_at,
  sourceName(order.source_type, order.source),
  fulfillmentName(order.fulfillment_type, order.fulfillment),
  plainMoney(order.subtotal),
  plainMoney(order.tax_total),
  plainMoney(order.tips),
  plainMoney(order.delivery_fee),
  plainMoney(order.service_surcharge_fee),
  plainMoney(order.rounding),
  plainMoney(paidOf(order)),
  order.payments.map(({ type, name }) => paymentName(type, name)).join('; '),
  order.promotions.map(({ name, reference }) => name ?? reference ?? '').join('; '),
  order.carts.length,
]
