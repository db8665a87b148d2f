import { html } from 'ghtml'
import type { OrderLine, StoredOrder } from '../../domain/store-data/orders.ts'
import { digitsOf, type ExactNumber } from '../../lib/exact-json.ts'
import { formatMoney, formatQuantity } from '../parts/format/money.ts'
import { paymentName, platformName, promotionName, unitName } from './labels.ts'
import { paidOf } from './paid.ts'

/** An order as a till prints it: lines, promotions, sums, taxes, payments. */
export const receipt = (order: StoredOrder): string => html`<table class="receipt">
  <caption class="visually-hidden">Receipt</caption>
  <thead><tr><th scope="col">Item</th><th scope="col" class="end">Unit price</th><th scope="col" class="end">Amount</th></tr></thead>
  <tbody>!${order.carts.length === 0 ? html`<tr><td colspan="3" class="muted">No items</td></tr>` : order.carts.map(line)}</tbody>
  !${section(
    'Promotions',
    order.promotions.map(({ type, name, reference, discount_amount }) =>
      row(promotionName(type, name), negative(discount_amount), reference),
    ),
  )}
  !${section('Sums', sums(order))}
  !${section(
    'Taxes',
    order.taxes.map(({ name, rate, amount }) => row(`${name ?? 'Tax'}${rateOf(rate)}`, formatMoney(amount))),
  )}
  !${section('Payments', payments(order))}
</table>`

/** The parts of a set menu or combo, and modifiers, are indented. */
function line({
  type,
  name,
  code,
  price,
  discount,
  net_price,
  count,
  unit_type,
  menu_id,
}: OrderLine): string {
  const unit = unitName(unit_type)
  const label = name ?? code ?? (menu_id === null ? 'Item' : `Item ${digitsOf(menu_id)}`)
  const net = net_price ?? price
  const amount = net === null ? null : Number(digitsOf(net)) * Number(digitsOf(count))
  const reduced = discount !== null && Number(digitsOf(discount)) !== 0
  return html`<tr>
    <th scope="row" !${type === 22 ? 'class="part"' : ''}>${formatQuantity(count)}${unit === '' ? ' ×' : ` ${unit}`} ${label}
      !${reduced ? html`<small>Discount ${formatMoney(discount)} each</small>` : ''}</th>
    <td class="end">${formatMoney(price)}</td>
    <td class="end">${amount === null ? '–' : formatMoney(Math.round(amount * 1e4) / 1e4)}</td>
  </tr>`
}

const section = (title: string, rows: readonly string[]): string =>
  rows.length === 0
    ? ''
    : html`<tbody><tr class="section"><th scope="rowgroup" colspan="3">${title}</th></tr>!${rows}</tbody>`

const row = (label: string, amount: string, note: string | null = null): string =>
  html`<tr><th scope="row" colspan="2">${label}!${note === null ? '' : html` <small>${note}</small>`}</th><td class="end">${amount}</td></tr>`

/** What is zero is left out, as on a till's receipt. */
function sums(order: StoredOrder): string[] {
  const given: [string, ExactNumber | null][] = [
    ['Subtotal', order.subtotal],
    ['Delivery fee', order.delivery_fee],
    ['Service surcharge', order.service_surcharge_fee],
    ['Tips', order.tips],
    ['Rounding', order.rounding],
    ['Total tax', order.tax_total],
  ]
  const isShown = (label: string, cents: ExactNumber): boolean =>
    label === 'Subtotal' || Number(digitsOf(cents)) !== 0
  return given.flatMap(([label, cents]) =>
    cents === null || !isShown(label, cents) ? [] : [row(label, formatMoney(cents))],
  )
}

function payments(order: StoredOrder): string[] {
  if (order.payments.length === 0) return []
  const each = order.payments.map(({ type, name, platform, amount, surcharge, reference }) => {
    const notes = [
      platform === null ? null : platformName(platform),
      reference,
      surcharge === null || Number(digitsOf(surcharge)) === 0 ? null : `surcharge ${formatMoney(surcharge)}`,
    ].filter(note => note !== null)
    return row(paymentName(type, name), formatMoney(amount), notes.length === 0 ? null : notes.join(', '))
  })
  return [
    ...each,
    html`<tr class="total"><th scope="row" colspan="2">Paid</th><td class="end">${formatMoney(paidOf(order))}</td></tr>`,
  ]
}

const negative = (cents: ExactNumber | null): string =>
  cents === null ? '–' : formatMoney(-Number(digitsOf(cents)) || 0)

/** ` 10 %` */
const rateOf = (rate: ExactNumber | null): string =>
  rate === null ? '' : ` ${Number((Number(digitsOf(rate)) * 100).toFixed(4))} %`
