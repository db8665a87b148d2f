import type { Seconds } from '../lib/clock.ts'
import { atLocal, daySeconds, localDay, weekday } from './local-time.ts'
import { type Hours, slotMinutes } from './places.ts'
import type { Random } from './random.ts'

/** A local day of a store, or the part of it inside the demo's days. */
export interface TradingDay {
  /** Days since 1970-01-01 on the store's wall clock. */
  day: number
  /** Sorted times of that many orders: more in busy half hours, none while the store is closed. */
  arrivals(random: Random, count: number): Float64Array
  /** The relative number of orders of this day. */
  weight: number
}

interface Slot {
  from: Seconds
  length: Seconds
  /** Sum of the weights up to and including this slot. */
  up_to: number
}

/**
 * The days from `end` back over `days` × 24 hours. Not whole local days: any 24 hours contain opening hours of every
 * store, so even a demo of one day has orders in each.
 */
export function tradingDays(zone: string, hours: Hours, end: Seconds, days: number): TradingDay[] {
  const start = end - days * daySeconds
  const list: TradingDay[] = []
  for (let day = localDay(zone, start); day <= localDay(zone, end); day++) {
    const slots = openSlots(atLocal(zone, day, hours.opens), hours, start, end)
    const open = slots.at(-1)?.up_to ?? 0
    if (open === 0) continue
    list.push({
      day,
      weight: open * (hours.week[weekday(day)] ?? 1),
      arrivals: (random, count) => arrivals(slots, random, count),
    })
  }
  return list
}

/** The half hours of one day within the demo. Daylight saving never changes during opening hours. */
function openSlots(opens: Seconds, hours: Hours, start: Seconds, end: Seconds): Slot[] {
  const slots: Slot[] = []
  const length = slotMinutes * 60
  let total = 0
  hours.busy.forEach((busy, index) => {
    const from = Math.max(opens + index * length, start)
    const to = Math.min(opens + (index + 1) * length, end)
    if (to <= from) return
    total += (busy * (to - from)) / length
    slots.push({ from, length: to - from, up_to: total })
  })
  return slots
}

function arrivals(slots: readonly Slot[], random: Random, count: number): Float64Array {
  const total = slots.at(-1)?.up_to ?? 0
  const times = new Float64Array(count)
  for (let n = 0; n < count; n++) {
    const at = random.next() * total
    const slot = slots.find(({ up_to }) => at < up_to) as Slot
    times[n] = slot.from + Math.floor(random.next() * slot.length)
  }
  return times.sort()
}
