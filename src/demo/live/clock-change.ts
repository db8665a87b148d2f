import type { OrderRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import { daySeconds, zoneOffset } from '../local-time.ts'
import { createRandom } from '../random.ts'
import type { Shop } from '../shop.ts'
import { sellAt } from './sale.ts'

/** The last change to or from daylight-saving time before `now`, within 400 days; null in a zone without. */
export function lastClockChange(zone: string, now: Seconds): Seconds | null {
  let later = now
  while (zoneOffset(zone, later - daySeconds) === zoneOffset(zone, now)) {
    later -= daySeconds
    if (now - later > 400 * daySeconds) return null
  }
  let earlier = later - daySeconds
  // The first second with the new offset lies behind `earlier`, and not behind `later`.
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2)
    if (zoneOffset(zone, middle) === zoneOffset(zone, now)) later = middle
    else earlier = middle
  }
  return later
}

/** Minutes before and after the change. Where the clock is set back, -45 and 15 show the same time on it. */
const minutes = [-90, -45, -30, -1, 0, 15, 30, 45, 90]

/** Orders of a late night, rung up while the clock was changed. The same for a store and a change, whenever they are made. */
export function clockChangeOrders(shop: Shop, change: Seconds, seed: number): OrderRecord[] {
  const random = createRandom(seed, shop.id)
  const late: Shop = { ...shop, random, end: change + daySeconds }
  return minutes.map(minute => sellAt(late, 1, change + minute * 60))
}
