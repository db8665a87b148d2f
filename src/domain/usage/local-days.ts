import { datesUntil, localDate } from '../../lib/local-date.ts'
import type { ReadSums } from '../../storage/port/index.ts'
import { type FiguresDeps, lastBuckets } from './figures.ts'

/** What was read on one day of a zone. */
export interface LocalDay {
  /** `yyyy-MM-dd` */
  date: string
  orders: number
  items: number
}

/** The days of one store; null: of all the others together. */
export interface StoreDays {
  store_id: bigint | null
  days: LocalDay[]
}

/**
 * What an app read by days as the stores live them. Summed from the hours, of which enough are kept for a month: an hour
 * counts for the day in which it begins, which is exact but where a zone is half an hour off.
 */
export function createLocalReads({ storage, clock, recorder }: FiguresDeps) {
  async function hoursOf(store_ids: readonly bigint[], app_id: string, days: number, by: 'store_id'[]) {
    await recorder.flush()
    // A day more than asked for: days of a zone begin up to 14 hours before those of UTC, and may have 25 hours.
    const span = lastBuckets('hour', (days + 1) * 24, clock.now())
    return storage.usage.reads({ ...span, store_ids, app_id, by })
  }

  /** Every day up to today, oldest first; those on which nothing was read too. */
  function toDays(rows: readonly ReadSums[], days: number, zone: string): LocalDay[] {
    const byDate = new Map(
      datesUntil(localDate(clock.now(), zone), days).map(date => [date, { date, orders: 0, items: 0 }]),
    )
    for (const { bucket, orders, items } of rows) {
      const day = byDate.get(localDate(bucket, zone))
      if (!day) continue
      day.orders += orders
      day.items += items
    }
    return [...byDate.values()]
  }

  return {
    /** Of all these stores together. */
    async byDay(store_ids: readonly bigint[], app_id: string, days: number, zone: string) {
      return toDays(await hoursOf(store_ids, app_id, days, []), days, zone)
    },

    /** Of the `most` stores that were read most, and of the rest together; a store that was not read is left out. */
    async byDayAndStore(
      store_ids: readonly bigint[],
      app_id: string,
      days: number,
      zone: string,
      most: number,
    ): Promise<StoreDays[]> {
      await recorder.flush()
      // By days first: of many stores, the hours of all would be very many rows.
      const span = lastBuckets('day', days + 1, clock.now())
      const rows = await storage.usage.reads({ ...span, store_ids, app_id, by: ['store_id'] })
      const ranked = rank(rows)
      const first = ranked.length <= most + 1 ? ranked : ranked.slice(0, most)
      const hours = await hoursOf(first, app_id, days, ['store_id'])
      const ofStore = Map.groupBy(hours, ({ store_id }) => store_id)
      const named = first.map(id => ({ store_id: id, days: toDays(ofStore.get(id) ?? [], days, zone) }))
      const others = ranked.slice(first.length)
      if (others.length === 0) return named
      const rest = toDays(await hoursOf(others, app_id, days, []), days, zone)
      return [...named, { store_id: null, days: rest }]
    },
  }
}

/** The stores that were read, the most read first. */
function rank(rows: readonly ReadSums[]): bigint[] {
  const sums = new Map<bigint, number>()
  for (const { store_id, orders, items } of rows) {
    if (store_id !== null && orders + items > 0)
      sums.set(store_id, (sums.get(store_id) ?? 0) + orders + items)
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([id]) => id)
}

export type LocalReads = ReturnType<typeof createLocalReads>
