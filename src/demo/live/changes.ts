import type { OrderRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import { formatDatetime } from '../../lib/datetime.ts'
import type { Random } from '../random.ts'

/** What happens to an order after it was sold. Its amounts stay related (test/demo/totals.ts). */

/** The customer is back, and gets all or a part of the money. */
export function refund(order: OrderRecord, now: Seconds, random: Random): OrderRecord {
  const at = formatDatetime(now)
  const status = random.chance(0.6) ? 11 : 3
  return { ...order, status, updated_at: at, paid_at: at, status_time: at }
}

export const isRefundable = ({ status, payments }: OrderRecord): boolean =>
  status === 2 && payments.length > 0

/**
 * A tip that was entered after the payment. Without `now` the till keeps its `updated_at`: its clock has only seconds, so
 * two versions of an order may carry the same time.
 */
export function correct(order: OrderRecord, random: Random, now: Seconds | null): OrderRecord {
  const tip = random.between(1, 10) * 50
  const [first, ...rest] = order.payments
  if (!first) return order
  return {
    ...order,
    updated_at: now === null ? order.updated_at : formatDatetime(now),
    tips: (order.tips ?? 0) + tip,
    payments: [{ ...first, amount: first.amount + tip }, ...rest],
  }
}
