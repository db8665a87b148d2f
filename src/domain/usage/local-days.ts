import { datesUntil, localDate } from '../../lib/local-date.ts'
import type { ReadSums } from '../../storage/port/index.ts'
import { type FiguresDeps, lastBuckets } from './figures.ts'

/** The orders and items read on one day of a time zone. */
export interface LocalDay {
  /** `yyyy-MM-dd` */
  date: string
  orders: number
  items: number
}

/** The reads of several stores: all together, and those with the most apart. */
export interface LocalReadsByStore {
  days: LocalDay[]
  stores: StoreDays[]
}

/** An app, and how many days of a time zone up to today. */
interface Wanted {
  app_id: string
  days: number
  zone: string
}

/** The days of one store, or, with `store_id` null, of all the other stores together. */
export interface StoreDays {
  store_id: bigint | null
  days: LocalDay[]
}

/**
 * An app's reads by local day, summed from the hourly counters, which are kept for more than a month; days of UTC have
 * counters of their own. An hour counts for the day in which it begins, so zones with an offset of half an hour are not
 * exact.
 */
export function createLocalReads({ storage, clock, recorder }: FiguresDeps) {
  async function countsOf(store_ids: readonly bigint[], { app_id, days, zone }: Wanted, by: 'store_id'[]) {
    await recorder.flush()
    const span =
      zone === 'UTC'
        ? lastBuckets('day', days, clock.now())
        : // One day more: local days begin up to 14 hours before those of UTC, and may have 25 hours.
          lastBuckets('hour', (days + 1) * 24, clock.now())
    return storage.usage.reads({ ...span, store_ids, app_id, by })
  }

  /** Every day up to today, oldest first, including those without reads. */
  function toDays(rows: readonly ReadSums[], { days, zone }: Wanted): LocalDay[] {
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
    /** All these stores together. */
    async byDay(store_ids: readonly bigint[], wanted: Wanted): Promise<LocalDay[]> {
      return toDays(await countsOf(store_ids, wanted, []), wanted)
    },

    /** All, the `most` stores with the most reads, and the rest together; stores without reads are left out. */
    async byDayAndStore(
      store_ids: readonly bigint[],
      wanted: Wanted,
      most: number,
    ): Promise<LocalReadsByStore> {
      const { app_id, days } = wanted
      await recorder.flush()
      // Ranked by day first: the hours of many stores would be too many rows. Days enough for all hours of `countsOf`.
      const span = lastBuckets('day', days + 2, clock.now())
      const rows = await storage.usage.reads({
        ...span,
        store_ids,
        app_id,
        by: ['store_id'],
        together: true,
      })
      const ranked = rank(rows)
      const first = ranked.length <= most + 1 ? ranked : ranked.slice(0, most)
      const counts = await countsOf(first, wanted, ['store_id'])
      const ofStore = Map.groupBy(counts, ({ store_id }) => store_id)
      const named = first.map(id => ({ store_id: id, days: toDays(ofStore.get(id) ?? [], wanted) }))
      const others = ranked.slice(first.length)
      if (others.length === 0) return { days: toDays(counts, wanted), stores: named }
      const rest = await countsOf(others, wanted, [])
      return {
        days: toDays([...counts, ...rest], wanted),
        stores: [...named, { store_id: null, days: toDays(rest, wanted) }],
      }
    },
  }
}

/** The stores that were read, by number of reads, highest first. */
function rank(rows: readonly ReadSums[]): bigint[] {
  return rows
    .filter(({ orders, items }) => orders + items > 0)
    .sort((one, other) => other.orders + other.items - (one.orders + one.items))
    .flatMap(({ store_id }) => (store_id === null ? [] : [store_id]))
}

export type LocalReads = ReturnType<typeof createLocalReads>
