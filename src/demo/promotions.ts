import type { Order } from '../contract/order.ts'
import type { Line } from './cart.ts'
import type { TaxGroup } from './pricing.ts'
import { type Random, weighted } from './random.ts'
import { reference } from './reference.ts'

type Promotion = Order['promotions'][number]

/** The largest discount as a share of a bill, except for a free staff meal. */
const mostOff = 0.6

/** Sets an item discount on some lines and returns its promotion; null when no line fits. */
export function drawItemPromotion(random: Random, lines: readonly Line[]): Promotion | null {
  const coupon = random.chance(0.4)
  const percent = random.pick(coupon ? [50] : [10, 20, 25])
  const first = random.pick(lines)
  // A coupon applies to one line, a discount to a whole category.
  const lucky = lines.filter(line =>
    coupon ? line === first : line.item.category_name === first.item.category_name,
  )
  const items = []
  for (const line of lucky) {
    line.discount = unitDiscount(line, percent)
    const discount_amount = (line.discount * line.units) / line.per
    if (discount_amount === 0) continue
    items.push({
      type: headType(line, lines),
      // Spec 2.4.6
      cart_no: line.group_no === 0 ? line.serial_no : line.group_no,
      discount_amount,
    })
  }
  if (items.length === 0) return null
  return {
    type: coupon ? 24 : 21,
    discount_amount: items.reduce((sum, item) => sum + item.discount_amount, 0),
    name: coupon ? 'Half price with coupon' : `${first.item.category_name ?? 'Special'}: ${percent}% off`,
    reference: coupon ? reference(random, 'CP') : null,
    items,
  }
}

/** Whole cents for pieces; whole dollars a kilogram for weighed goods, which are whole cents at any weight. */
const unitDiscount = (line: Line, percent: number): number =>
  line.per === 1
    ? Math.round((line.price * percent) / 100)
    : line.per * Math.floor((line.price * percent) / 100 / line.per)

/** A promotion refers to a dish in a set menu or combo by the group's number and type. */
const headType = (line: Line, lines: readonly Line[]): number =>
  line.group_no === 0
    ? line.item.type
    : (lines.find(head => head.group_no === line.group_no)?.item.type ?? line.item.type)

interface OrderOffer {
  type: number
  name: string
  prefix: string | null
  /** Cents, or a share of the bill when below 1. */
  value: number
}

const offers = weighted<OrderOffer>([
  [{ type: 20, name: 'Points redeemed', prefix: 'M', value: 200 }, 2],
  [{ type: 20, name: 'Points redeemed', prefix: 'M', value: 500 }, 1],
  [{ type: 21, name: 'Manager’s discount', prefix: null, value: 0.1 }, 2],
  [{ type: 22, name: 'Voucher 5', prefix: 'V', value: 500 }, 2],
  [{ type: 22, name: 'Voucher 10', prefix: 'V', value: 1000 }, 1],
  [{ type: 23, name: 'Partner voucher', prefix: 'X', value: 750 }, 2],
  [{ type: 25, name: 'WELCOME15', prefix: 'PC', value: 0.15 }, 2],
  [{ type: 25, name: 'WEEKEND20', prefix: 'PC', value: 0.2 }, 1],
])

/** A discount on the whole order; null when the order is too small. */
export function drawOrderPromotion(random: Random, groups: readonly TaxGroup[]): Promotion | null {
  const offer = offers(random)
  const code = offer.prefix === null ? null : reference(random, offer.prefix)
  const bill = groups.reduce((sum, group) => sum + (group.anchor ? group.charge : 0), 0)
  const off = offer.value < 1 ? Math.round(bill * offer.value) : offer.value
  if (off === 0 || off > bill * mostOff) return null
  return { type: offer.type, discount_amount: off, name: offer.name, reference: code, items: [] }
}

/** A free order, which has an empty list of payments. */
export function staffMeal(groups: readonly TaxGroup[]): Promotion | null {
  if (groups.some(group => group.anchor === null)) return null
  const all = groups.reduce((sum, group) => sum + group.charge, 0)
  return { type: 21, discount_amount: all, name: 'Staff meal', reference: null, items: [] }
}
