import { fulfillments, sources } from '../contract/codes.ts'
import type { Order } from '../contract/order.ts'
import type { OrderRecord } from '../contract/record.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { drawCart, giftCardCart, type Line, lineGross } from './cart.ts'
import {
  type Channel,
  drawDishes,
  drawPayDelay,
  isGiftCard,
  isHere,
  isOnDevice,
  isPlatform,
} from './channels.ts'
import { weekday } from './local-time.ts'
import { type Paid, pay, payDeposit } from './payments.ts'
import type { Place } from './places.ts'
import { priceLines, taxGroups } from './pricing.ts'
import { drawItemPromotion, drawOrderPromotion, staffMeal } from './promotions.ts'
import type { Random } from './random.ts'
import type { Arrival, Shop } from './shop.ts'
import { drawTimes } from './times.ts'

export function makeOrder(shop: Shop, arrival: Arrival): OrderRecord {
  const { random, place } = shop
  const { channel, created_at } = arrival
  const rules = isHere(channel) ? place.regime.here : place.regime.away
  const lines = isGiftCard(channel)
    ? giftCardCart(random, shop.inventory, rules)
    : drawCart(random, shop.inventory, { dishes: drawDishes(random, channel), at: created_at, rules })

  const promotions = isGiftCard(channel) ? [] : drawPromotions(random, lines, channel)
  const off = orderDiscount(promotions)
  const taxes = priceLines(taxGroups(lines), off, place.regime.inclusive)
  const net = sum(taxes, tax => tax.base)
  const tax_total = sum(taxes, tax => tax.amount)
  const tax_calculated = place.regime.inclusive ? 0 : tax_total
  const delivery_fee = drawDeliveryFee(random, channel)
  const service_surcharge_fee = serviceSurcharge(place, arrival, net)
  const tips = drawTips(random, place, channel, net)
  const due = net + tax_calculated + delivery_fee + service_surcharge_fee + tips

  const times = drawTimes(shop, arrival, drawPayDelay(random, channel), due > 0)
  const { payments, rounding }: Paid = times.deposit
    ? payDeposit(random, due)
    : pay(random, due, channel, place)
  const paid_at = formatDatetime(times.paid_at)

  return {
    kind: 'order',
    id: arrival.id,
    parent_id: arrival.parent_id,
    order_number: arrival.order_number,
    status: times.status,
    created_at: formatDatetime(created_at),
    updated_at: paid_at,
    scheduled_at: times.scheduled_at === null ? null : formatDatetime(times.scheduled_at),
    paid_at,
    status_time: paid_at,
    pay_time: payments.length === 0 ? null : formatDatetime(times.pay_time),
    source_type: channel.source,
    source: sources[channel.source],
    fulfillment_type: channel.fulfillment,
    fulfillment: fulfillments[channel.fulfillment],
    store_id: shop.id,
    ...drawDevice(random, shop.id, channel),
    delivery_fee,
    service_surcharge_fee,
    rounding,
    subtotal: sum(lines, lineGross),
    tax_total,
    tax_calculated,
    tips,
    shipping: null,
    carts: lines.map((line, index) => cartItem(line, index + 1, place.regime.inclusive)),
    taxes: taxes.map(({ rule, base, amount }) => ({
      amount,
      rate: rule.rate / 1_000_000,
      name: rule.name,
      base_subtotal: base,
    })),
    payments,
    promotions,
  }
}

const sum = <T>(list: readonly T[], value: (entry: T) => number): number =>
  list.reduce((total, entry) => total + value(entry), 0)

function drawPromotions(random: Random, lines: readonly Line[], channel: Channel): Order['promotions'] {
  if (channel.source === 1 && random.chance(0.01)) {
    return [staffMeal(taxGroups(lines))].filter(promotion => promotion !== null)
  }
  const item = random.chance(0.08) ? drawItemPromotion(random, lines) : null
  // After the item discounts, which reduce the amount that an order discount applies to.
  const order = random.chance(0.1) ? drawOrderPromotion(random, taxGroups(lines)) : null
  return [item, order].filter(promotion => promotion !== null)
}

const orderDiscount = (promotions: Order['promotions']): number =>
  sum(promotions, ({ items, discount_amount }) => (items.length === 0 ? discount_amount : 0))

function drawDeliveryFee(random: Random, channel: Channel): number {
  return channel.fulfillment === 4 || isPlatform(channel) ? random.pick([0, 299, 399, 499, 690]) : 0
}

function serviceSurcharge({ surcharge }: Place, { channel, day }: Arrival, net: number): number {
  if (!surcharge || !isHere(channel)) return 0
  const due = surcharge.on === 'tables' ? channel.fulfillment === 2 : weekday(day) === 0
  return due ? Math.round(net * surcharge.rate) : 0
}

function drawTips(random: Random, place: Place, channel: Channel, net: number): number {
  const served = isHere(channel) || channel.fulfillment === 4
  if (!served || !random.chance(place.tipping)) return 0
  return Math.round(net * random.pick([0.1, 0.15, 0.18, 0.2, 0.22]))
}

/** Each store has three tills and a kiosk; orders from the web have no device. */
function drawDevice(random: Random, store_id: number, channel: Channel) {
  if (!isOnDevice(channel)) return noDevice
  return deviceOf(store_id, channel.source === 2 ? 4 : random.between(1, 3))
}

export function deviceOf(store_id: number, number: number) {
  return {
    device_id: store_id * 100 + number,
    device_register_id: number,
    device_name: number === 4 ? 'Kiosk' : `Till ${number}`,
    device_sn: `DEMO-${store_id}-${number}`,
  }
}

const noDevice = { device_id: null, device_register_id: null, device_name: null, device_sn: null }

const cartItem = (line: Line, tid: number, inclusive: boolean): Order['carts'][number] => ({
  type: line.item.type,
  tid,
  group_no: line.group_no,
  serial_no: line.serial_no,
  menu_id: line.item.id,
  name: line.item.name,
  code: line.item.code,
  unit_type: line.item.unit_type,
  price: line.price,
  discount: line.discount,
  net_price: ((line.price - line.discount) * 100 - line.order_discount) / 100,
  count: line.units / line.per,
  tax_total: line.tax / 100,
  tax_calculated: inclusive ? 0 : line.tax / 100,
})
