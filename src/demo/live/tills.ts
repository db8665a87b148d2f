import type { OrderRecord } from '../../contract/record.ts'
import type { Clock, Seconds } from '../../lib/clock.ts'
import { daySeconds } from '../local-time.ts'
import { type Random, weighted } from '../random.ts'
import type { Shop } from '../shop.ts'
import { correct, isRefundable, refund } from './changes.ts'
import { clockChangeOrders, lastClockChange } from './clock-change.ts'
import { isOpen, sell, sellAt } from './sale.ts'

export type Happening =
  | 'sale'
  | 'refund'
  | 'correction'
  | 'same-second correction'
  | 'offline till'
  | 'clock change'

export interface Step {
  happening: Happening
  /** What the tills send now, in one request; may be empty. */
  records: OrderRecord[]
}

export interface LiveDeps {
  shops: readonly Shop[]
  random: Random
  clock: Clock
  seed: number
  /** Orders of a store by `created_at`, as they are stored. */
  past(store_id: number, from: Seconds, to: Seconds): Promise<OrderRecord[]>
}

/** One happening a step; the steps between them are sales. */
const schedule: Record<number, Happening> = {
  2: 'same-second correction',
  4: 'refund',
  6: 'clock change',
  7: 'correction',
  10: 'offline till',
  15: 'refund',
}
const round = 20
const remembered = 50
/** Seconds that a till was offline, and the sales that it sends then. */
const offlineFor = 3 * 3600
const offlineSales = 8

/** Tills that go on selling after the demo's data ends. The same seed, clock and past give the same steps. */
export function createLiveTills({ shops, random, clock, seed, past }: LiveDeps) {
  const last = new Map<number, Seconds>()
  const sold: OrderRecord[] = []
  let step = 0

  /** Now, or a second after the store's last order: their numbers are times. */
  function nextTime({ id }: Shop): Seconds {
    const at = Math.max(clock.now(), (last.get(id) ?? 0) + 1)
    last.set(id, at)
    return at
  }

  const at = (shop: Shop, now: Seconds): Shop => ({ ...shop, random, end: now })

  function pickShop(): Shop {
    const open = shops.filter(shop => isOpen(shop, clock.now()))
    return weighted((open.length > 0 ? open : shops).map(shop => [shop, shop.place.popularity]))(random)
  }

  function sale(): OrderRecord {
    const shop = pickShop()
    const now = nextTime(shop)
    const order = sell(at(shop, now), now)
    sold.push(order)
    if (sold.length > remembered) sold.shift()
    return order
  }

  /** A sold order becomes its corrected version. */
  function correction(now: Seconds | null): OrderRecord[] {
    const index = sold.findLastIndex(isRefundable)
    const order = sold[index]
    if (!order) return [sale()]
    const corrected = correct(order, random, now)
    sold[index] = corrected
    return [corrected]
  }

  async function lateRefund(): Promise<OrderRecord[]> {
    const now = clock.now()
    const shop = pickShop()
    const orders = await past(shop.id, now - 5 * daySeconds, now - daySeconds)
    // Not those that somebody pushed to try the API: they may hold numbers that JavaScript changes.
    const refundable = orders.filter(order => order.id.startsWith(`${shop.id}-`) && isRefundable(order))
    return refundable.length === 0 ? [] : [refund(random.pick(refundable), now, random)]
  }

  function clockChange(): OrderRecord[] {
    const changes = shops.flatMap(shop => {
      const change = lastClockChange(shop.place.timezone, clock.now())
      // A day later, so that no order lies ahead.
      return change === null || change > clock.now() - daySeconds ? [] : [{ shop, change }]
    })
    const [latest] = changes.sort((a, b) => b.change - a.change)
    return latest ? clockChangeOrders(latest.shop, latest.change, seed) : []
  }

  /** A till had no connection for hours. Now it sends everything at once, with the times of the sales. */
  function offlineTill(): OrderRecord[] {
    const shop = pickShop()
    const from = clock.now() - offlineFor
    const gap = Math.floor(offlineFor / offlineSales)
    return Array.from({ length: offlineSales }, (_, n) => {
      const created_at = from + n * gap + random.between(0, gap - 1)
      return sellAt(at(shop, clock.now()), 3, created_at)
    })
  }

  async function happen(happening: Happening): Promise<OrderRecord[]> {
    switch (happening) {
      case 'sale':
        return [sale()]
      case 'refund':
        return lateRefund()
      case 'correction':
        return correction(clock.now())
      case 'same-second correction':
        return correction(null)
      case 'offline till':
        return offlineTill()
      case 'clock change':
        return step === 6 ? clockChange() : [sale()]
    }
  }

  return {
    async next(): Promise<Step> {
      const happening = schedule[++step % round] ?? 'sale'
      return { happening, records: await happen(happening) }
    },
  }
}
