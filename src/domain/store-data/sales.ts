import { digitsOf, type ExactNumber, parseExact } from '../../lib/exact-json.ts'
import { addDays, startOfDate } from '../../lib/local-date.ts'
import type { Storage } from '../../storage/port/index.ts'
import type { Reader } from '../reading/access.ts'
import { createSalesList } from '../reading/sales.ts'
import type { Window } from '../reading/window.ts'

/** How many of an item were sold, as the API rounds it. */
export interface SoldCount {
  item_id: bigint
  count: number
}

/** Sales by item on the days of a store's time zone. */
export interface StoreSales {
  /** Of the whole period, most sold first. */
  total: SoldCount[]
  /** Of each day, oldest first. */
  days: { date: string; sold: SoldCount[] }[]
}

/** Days of one period at most: each is a read of its own. */
export const mostDays = 31

/** The seconds of these days in the zone; both dates are included. */
export function windowOf(first: string, last: string, zone: string): Window {
  const start_date = startOfDate(first, zone)
  // A zone may have skipped a whole day; a window must not run backwards.
  return { start_date, end_date: Math.max(start_date, startOfDate(addDays(last, 1), zone) - 1) }
}

/** The sales of a store for people: the list of the API for the period and for each of its days. */
export function createStoreSales({ storage }: { storage: Storage }) {
  const list = createSalesList(storage)

  async function sold(reader: Reader, store_id: bigint, window: Window): Promise<SoldCount[]> {
    const { page } = await list(reader, { store_id, ...window, index: 0, count: 2 ** 31 - 1 }, null)
    const entries = parseExact(`[${Buffer.concat(page?.first ?? []).toString()}]`) as {
      item_id: ExactNumber
      count: ExactNumber
    }[]
    return entries.map(({ item_id, count }) => ({
      item_id: BigInt(digitsOf(item_id)),
      count: Number(digitsOf(count)),
    }))
  }

  return {
    async read(
      reader: Reader,
      store_id: bigint,
      dates: readonly string[],
      zone: string,
    ): Promise<StoreSales> {
      const [first, last] = [dates[0], dates.at(-1)]
      if (first === undefined || last === undefined || dates.length > mostDays) {
        throw new Error(`${dates.length} days; between 1 and ${mostDays} can be read`)
      }
      const total = await sold(reader, store_id, windowOf(first, last, zone))
      total.sort((a, b) => b.count - a.count || (a.item_id < b.item_id ? -1 : 1))
      const days: StoreSales['days'] = []
      for (const date of dates) {
        days.push({ date, sold: await sold(reader, store_id, windowOf(date, date, zone)) })
      }
      return { total, days }
    },
  }
}

export type StoreSalesReads = ReturnType<typeof createStoreSales>
