import type { OrderRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import { daySeconds } from '../local-time.ts'
import { createRandom } from '../random.ts'
import { type DemoOptions, demoShops } from '../records.ts'
import { shares } from '../shares.ts'
import { tradingDays } from '../trading-days.ts'
import { sell } from './sale.ts'

/** The orders between two times after the end of a demo, in its numbers and by the opening hours of its stores. */
export function* laterOrders(options: DemoOptions, from: Seconds, to: Seconds): Generator<OrderRecord> {
  const days = (to - from) / daySeconds
  const shops = demoShops(options)
  const counts = shares(
    Math.round((options.orders / options.days) * days),
    shops.map(({ place }) => place.popularity),
  )
  for (const [index, shop] of shops.entries()) {
    const { timezone, hours } = shop.place
    const random = createRandom(options.seed, from + shop.id)
    const open = tradingDays(timezone, hours, to, days)
    const ofDays = shares(
      counts[index] ?? 0,
      open.map(({ weight }) => weight),
    )
    let last = 0
    for (const [each, { arrivals }] of open.entries()) {
      for (const arrival of arrivals(random, ofDays[each] ?? 0)) {
        last = Math.max(arrival, last + 1)
        if (last < to) yield sell({ ...shop, random, end: to }, last)
      }
    }
  }
}
