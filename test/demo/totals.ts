import type { Order } from '../../src/contract/order.ts'
import { taxOn } from '../../src/demo/taxes.ts'

/**
 * How the amounts of a demo order are related. Every identity is exact; only the tax is rounded.
 *
 *   lines      Σ price × count = subtotal
 *              0 ≤ net_price ≤ price − discount
 *   discounts  Σ discount × count = Σ discount_amount of the promotions with items,
 *              and for each line or group that a promotion with items names
 *              Σ (price − discount − net_price) × count = Σ discount_amount of the promotions without items
 *              Σ items' discount_amount = the promotion's discount_amount
 *   net        Σ net_price × count = subtotal − Σ promotions = Σ taxes' base_subtotal
 *   taxes      amount = base_subtotal × rate ÷ (1 + rate) where prices contain the tax (tax_calculated is 0),
 *              amount = base_subtotal × rate where it is added (tax_calculated = tax_total), to the cent
 *              Σ taxes' amount = Σ lines' tax_total × count = tax_total
 *              Σ lines' tax_calculated × count = tax_calculated
 *   total      net + tax_calculated + delivery_fee + service_surcharge_fee + tips + rounding = Σ payments' amount
 *
 * A payment's surcharge is a fee for that method: it comes on top of the payment's amount and is no part of the
 * total. Fees and tips carry no tax of their own. Rounding is for cash, two cents at most.
 */
export function reconcile(order: Order): string[] {
  const { carts, promotions, taxes, payments } = order
  const lines = (field: Priced) => total(carts, line => times(line[field] ?? 0, line.count))
  const onItems = promotions.filter(promotion => promotion.items.length > 0)
  const onOrder = promotions.filter(promotion => promotion.items.length === 0)
  const subtotal = cents(order.subtotal)
  const net = subtotal - total(promotions, discount)
  const tax = cents(order.tax_total)
  const calculated = cents(order.tax_calculated)
  const added = [order.delivery_fee, order.service_surcharge_fee, order.tips, order.rounding]

  const identities: Identity[] = [
    ['lines’ price', lines('price'), subtotal],
    ['item discounts', lines('discount'), total(onItems, discount)],
    ['order discounts', subtotal - lines('discount') - lines('net_price'), total(onOrder, discount)],
    ...onItems.map(promotionItems),
    ...discountedLines(order, onItems),
    ['lines’ net_price', lines('net_price'), net],
    ['tax bases', total(taxes, ({ base_subtotal }) => cents(base_subtotal)), net],
    ['taxes', total(taxes, ({ amount }) => cents(amount)), tax],
    ['lines’ tax_total', lines('tax_total'), tax],
    ['lines’ tax_calculated', lines('tax_calculated'), calculated],
    ['tax_calculated', calculated, calculated === 0 ? 0 : tax],
    ...taxes.map(entry => taxAmount(entry, calculated === 0)),
    ['payments', total(payments, ({ amount }) => cents(amount)), net + calculated + total(added, cents)],
  ]
  const broken = identities
    .filter(([, left, right]) => left !== right)
    .map(([what, left, right]) => `${what}: ${left / scale} is not ${right / scale}`)

  for (const { tid, price, discount, net_price } of carts) {
    const most = (price ?? 0) - (discount ?? 0)
    const within = net_price !== null && net_price >= 0 && net_price <= most
    if (!within) broken.push(`line ${tid}: net_price ${net_price} is not from 0 to ${most}`)
  }
  if (payments.some(({ amount }) => amount <= 0)) broken.push('a payment of nothing')
  const mostRounding = payments.some(({ type }) => type === 1) ? 2 : 0
  if (Math.abs(order.rounding ?? 0) > mostRounding) broken.push(`rounding of ${order.rounding}`)
  return broken
}

type Line = Order['carts'][number]
type Priced = 'price' | 'discount' | 'net_price' | 'tax_total' | 'tax_calculated'
type Promotion = Order['promotions'][number]
type Identity = [what: string, left: number, right: number]

/** Prices have up to two decimals and counts up to three, so in 100,000ths of a cent every product is whole. */
const scale = 100_000
const times = (price: number, count: number): number => Math.round(price * 100) * Math.round(count * 1000)
const cents = (amount: number | null): number => (amount ?? 0) * scale
const discount = ({ discount_amount }: { discount_amount: number }): number => cents(discount_amount)
const total = <T>(list: readonly T[], value: (entry: T) => number): number =>
  list.reduce((sum, entry) => sum + value(entry), 0)

const promotionItems = (promotion: Promotion): Identity => [
  `items of ${promotion.name}`,
  total(promotion.items, discount),
  discount(promotion),
]

function discountedLines({ carts }: Order, onItems: readonly Promotion[]): Identity[] {
  const items = onItems.flatMap(promotion => promotion.items)
  return [...Map.groupBy(items, targetOf)].map(([target, named]) => {
    const lines = carts.filter(line => lineTarget(line) === target)
    return [target, total(lines, line => times(line.discount ?? 0, line.count)), total(named, discount)]
  })
}

function taxAmount(
  { name, amount, rate, base_subtotal }: Order['taxes'][number],
  inclusive: boolean,
): Identity {
  const millionths = Math.round((rate ?? 0) * 1_000_000)
  return [String(name), cents(amount), cents(taxOn(base_subtotal ?? 0, millionths, inclusive))]
}

/** Spec 2.4.6: a line by its serial_no, a set menu or combo by its group_no; the type says which. */
const targetOf = ({ type, cart_no }: { type: number; cart_no: number | null }): string =>
  type > 100 ? `group ${cart_no}` : `line ${cart_no} of type ${type}`

const lineTarget = (line: Line): string =>
  line.group_no ? `group ${line.group_no}` : targetOf({ type: line.type, cart_no: line.serial_no })
