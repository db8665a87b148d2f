import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { messagePage } from '../layout.ts'
import { sendHtml } from '../send-html.ts'
import { orderPage } from './order.view.ts'
import { readerOf } from './store.ts'

/** One order as a receipt. Its id is in the query, because it may hold any character. */
export function storeOrderPage(scope: PageScope, { data, clock }: ConsoleDeps, base: string): void {
  const schema = { querystring: fields({ id: text }) }

  scope.get(`${base}/order`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const { id } = query
    const isId = id !== '' && id.length <= 255 && !id.includes('\0')
    const order = isId ? await data.orders.find(readerOf(account), open.store.id, id) : null
    if (order) return sendHtml(reply, orderPage({ open, order, now: clock.now() }))
    const action = { href: `${open.base}/orders`, label: 'Orders by day' }
    const advice = `${open.store.name} has no order with this id.`
    return sendHtml(reply, messagePage('Order not found', advice, { viewer: open.viewer, action }), 404)
  })
}
