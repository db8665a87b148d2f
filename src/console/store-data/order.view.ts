import { html } from 'ghtml'
import type { StoredOrder } from '../../domain/store-data/orders.ts'
import type { Seconds } from '../../lib/clock.ts'
import { parseDatetime } from '../../lib/datetime.ts'
import { localDate } from '../../lib/local-date.ts'
import { storedAt } from '../../lib/seq.ts'
import { layout, type Page } from '../layout.ts'
import { card } from '../parts/card.ts'
import { copyable } from '../parts/copyable.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { formatAgo } from '../parts/format/amounts.ts'
import { storeTime } from '../parts/format/time.ts'
import { notice } from '../parts/notice.ts'
import { pageHeader } from '../parts/page-header.ts'
import { withQuery } from '../parts/with-query.ts'
import { fulfillmentName, sourceName, statusBadge } from './labels.ts'
import { receipt } from './receipt.view.ts'
import type { OpenStore } from './store.ts'

interface OrderView {
  open: OpenStore
  order: { doc: string; seq: number; parsed: StoredOrder }
  now: Seconds
}

export const orderPage = (view: OrderView): Page => {
  const { open, order } = view
  const { base, store, viewer } = open
  const { parsed, doc } = order
  const day = localDate(parseDatetime(parsed.created_at) ?? 0, store.timezone)
  const title = `Order ${parsed.order_number ?? parsed.id}`
  return layout({
    title: `${title}, ${store.name}`,
    viewer,
    path: `${base}/order`,
    body: html`!${pageHeader({
      title,
      back: { href: withQuery(`${base}/orders`, { day }), label: `Orders of ${store.name}` },
      beside: statusBadge(parsed.status),
    })}
    !${refund(parsed, store.timezone)}
    <div class="grid-2">
      !${card({ title: 'Receipt', body: receipt(parsed) })}
      <div>
        !${card({ title: 'Order', body: facts(orderFacts(view)) })}
        !${card({ title: 'Times', body: facts(timeFacts(parsed, store.timezone)) })}
        !${card({ title: 'In the changes feed', body: facts(feedFacts(view)) })}
      </div>
    </div>
    !${card({
      title: 'JSON',
      body: html`<details><summary>As the API sends it</summary>
        !${copyable({ value: doc, id: 'order-json', what: 'JSON', block: true })}</details>`,
    })}`,
  })
}

/** The API keeps the newest state of an order, so a refund is its status, its time and negative amounts. */
function refund({ status, paid_at }: StoredOrder, zone: string): string {
  if (status !== 3 && status !== 11) return ''
  const what = status === 3 ? 'This order was refunded' : 'A part of this order was refunded'
  const at = paid_at === null ? null : parseDatetime(paid_at)
  return notice({
    tone: 'warn',
    content: { html: at === null ? html`${what}.` : html`${what} on !${storeTime(at, zone)}.` },
  })
}

function orderFacts({ open: { base, store }, order: { parsed } }: OrderView): Fact[] {
  const { id, parent_id, source_type, source, fulfillment_type, fulfillment, device_name, device_sn } = parsed
  const optional = (term: string, text: string | null): Fact[] => (text === null ? [] : [{ term, text }])
  return [
    { term: 'Store', html: html`<a href="${base}/orders">${store.name}</a> (store ${store.id})` },
    { term: 'Id', html: html`<code class="value">${id}</code>` },
    ...(parent_id === null
      ? []
      : [
          {
            term: 'Belongs to order',
            html: html`<a href="${withQuery(`${base}/order`, { id: parent_id })}">${parent_id}</a>`,
          },
        ]),
    { term: 'Source', text: sourceName(source_type, source) },
    { term: 'Fulfillment', text: fulfillmentName(fulfillment_type, fulfillment) },
    ...optional('Device', device_name ?? device_sn),
  ]
}

function timeFacts(order: StoredOrder, zone: string): Fact[] {
  const times: [string, string | null][] = [
    ['Created', order.created_at],
    ['Scheduled for', order.scheduled_at],
    ['First payment', order.pay_time],
    [order.status === 2 ? 'Paid' : 'Paid or refunded', order.paid_at],
    ['Last status change', order.status_time],
    ['Updated', order.updated_at],
  ]
  return times.flatMap(([term, text]): Fact[] => {
    const at = text === null ? null : parseDatetime(text)
    return at === null ? [] : [{ term, html: storeTime(at, zone, { precision: 'second' }) }]
  })
}

/** A change's number holds the second in which the server stored it. */
function feedFacts({ open: { store }, order: { seq }, now }: OrderView): Fact[] {
  const at = storedAt(seq)
  return [
    { term: 'seq', html: html`<code class="value">${seq}</code>` },
    {
      term: 'Arrived',
      html:
        at === null
          ? 'Not known: it was stored before this server numbered changes.'
          : html`!${storeTime(at, store.timezone, { precision: 'second' })} <span class="muted">(${formatAgo(at, now)}, its newest version)</span>`,
    },
  ]
}
