import type { Seconds } from '../lib/clock.ts'
import { isPreOrder } from './channels.ts'
import { atLocal, daySeconds } from './local-time.ts'
import type { Arrival, Shop } from './shop.ts'
import { type Hours, slotMinutes } from './places.ts'

/** An order's history, up to the end of the demo. */
export interface Times {
  status: 2 | 3 | 11
  scheduled_at: Seconds | null
  /** A deposit was taken at pay_time and the rest at paid_at. */
  deposit: boolean
  pay_time: Seconds
  /** Paid in full, or refunded (spec 2.4): the last thing that happened to the order. */
  paid_at: Seconds
}

export function drawTimes(shop: Shop, arrival: Arrival, payDelay: Seconds, refundable: boolean): Times {
  const { random, end } = shop
  const pay_time = Math.min(arrival.created_at + payDelay, end)
  const scheduled_at = isPreOrder(arrival.channel) ? drawSchedule(shop, arrival) : null
  // A pre-order that is collected after the end of the demo counts as paid: the list has no unpaid orders.
  const deposit = arrival.channel.source === 11 && refundable && scheduled_at !== null && scheduled_at <= end
  const settled = deposit ? Math.max(scheduled_at, pay_time) : pay_time
  const paid = { status: 2, scheduled_at, deposit, pay_time, paid_at: settled } as const
  if (!refundable || !random.chance(0.035)) return paid

  // Most refunds happen at once, some days later.
  const refunded = settled + random.between(5 * 60, random.chance(0.7) ? 2 * 3600 : 3 * daySeconds)
  if (refunded > end) return paid
  return { ...paid, status: random.chance(0.6) ? 11 : 3, paid_at: refunded }
}

/** A quarter of an hour at which the store is open: later today, or on one of the next two days. */
function drawSchedule({ random, place }: Shop, { day, created_at }: Arrival): Seconds {
  const { opens, busy }: Hours = place.hours
  const today = atLocal(place.timezone, day, opens)
  const quarters = (busy.length * slotMinutes) / 15
  const next = Math.floor((created_at - today) / 900) + 2
  if (next < quarters && random.chance(0.5)) return today + 900 * random.between(next, quarters - 1)
  return atLocal(place.timezone, day + random.between(1, 2), opens + 15 * random.between(0, quarters - 1))
}
