import type { Seconds } from '../../lib/clock.ts'
import {
  everSpan,
  type ReadCounts,
  type ReadDelta,
  type ReadSums,
  usageRetention,
  usageWidths,
} from '../../storage/port/index.ts'
import { bucketOf } from '../reading/sales-buckets.ts'
import { bucketsOf, type FiguresDeps, lastBuckets } from './figures.ts'

/** The reads of one day in UTC; `day` is its first second. */
export interface DayOfReads {
  day: Seconds
  requests: number
  orders: number
  items: number
  sales: number
}

/** Where a page of activity ended; opaque to the caller. */
export type ActivityPlace = Pick<ReadDelta, 'bucket' | 'store_id' | 'app_id'>

export interface ActivityPage {
  /** One row for each app, store and hour: newest hour first, then by store and app. */
  rows: ReadDelta[]
  /** Null when nothing follows. */
  next: ActivityPlace | null
}

/** What apps read from stores. Callers pass the stores that the viewer may see. */
export function createReadFigures({ storage, clock, recorder }: FiguresDeps) {
  async function byDay(
    store_ids: readonly bigint[],
    app_id: string | null,
    days: number,
    by: readonly ('store_id' | 'app_id')[],
  ) {
    await recorder.flush()
    const span = lastBuckets('day', days, clock.now())
    const rows = await storage.usage.reads({ ...span, store_ids, app_id, by })
    return { rows, fill: (some: readonly ReadSums[]) => filled(bucketsOf(span), some) }
  }

  return {
    /** All these stores together, day by day, oldest first, including days without reads. */
    async byDay(store_ids: readonly bigint[], app_id: string | null, days: number): Promise<DayOfReads[]> {
      const { rows, fill } = await byDay(store_ids, app_id, days, [])
      return fill(rows)
    },
    /** The same for each of the stores. */
    async byDayAndStore(
      store_ids: readonly bigint[],
      app_id: string | null,
      days: number,
    ): Promise<Map<bigint, DayOfReads[]>> {
      const { rows, fill } = await byDay(store_ids, app_id, days, ['store_id'])
      const ofStore = Map.groupBy(rows, ({ store_id }) => store_id)
      return new Map(store_ids.map(id => [id, fill(ofStore.get(id) ?? [])]))
    },
    /** The same for each app that read any of the stores in these days. */
    async byDayAndApp(store_ids: readonly bigint[], days: number): Promise<Map<string, DayOfReads[]>> {
      const { rows, fill } = await byDay(store_ids, null, days, ['app_id'])
      const ofApp = Map.groupBy(rows, ({ app_id }) => app_id ?? '')
      return new Map([...ofApp].map(([app_id, some]) => [app_id, fill(some)]))
    },
    /** Everything that each app has ever read from these stores; without apps that read none of them. */
    async byApp(store_ids: readonly bigint[]): Promise<Map<string, ReadCounts>> {
      await recorder.flush()
      const rows = await storage.usage.reads({
        ...everSpan,
        store_ids,
        app_id: null,
        by: ['app_id'],
        together: true,
      })
      return new Map(rows.map(row => [row.app_id ?? '', row]))
    },
    /** When the app last read each of these stores; without stores that it never read. */
    async last(store_ids: readonly bigint[], app_id: string): Promise<Map<bigint, Seconds>> {
      await recorder.flush()
      const rows = await storage.usage.reads({
        ...everSpan,
        store_ids,
        app_id,
        by: ['store_id'],
        together: true,
      })
      return new Map(
        rows.flatMap(({ store_id, last_at }) => (store_id === null ? [] : [[store_id, last_at]])),
      )
    },
    /** Reads by app, store and hour, for as long as hours are kept. */
    async activity(
      store_ids: readonly bigint[],
      app_id: string | null,
      after: ActivityPlace | null,
      limit: number,
    ): Promise<ActivityPage> {
      await recorder.flush()
      const width = usageWidths.hour
      const now = clock.now()
      const oldest = bucketOf(now - usageRetention.hour, width)
      const rows: ReadDelta[] = []
      let place = after
      // In growing steps into the past: all kept hours of many stores would be far more than a page.
      for (let to = after?.bucket ?? bucketOf(now, width), days = 1; to >= oldest; days *= 4) {
        const from = Math.max(oldest, to - days * usageWidths.day)
        const missing = limit + 1 - rows.length
        rows.push(
          ...(await storage.usage.activity({
            store_ids,
            app_id,
            width,
            from,
            to,
            after: place,
            limit: missing,
          })),
        )
        if (rows.length > limit) break
        place = null
        to = from - width
      }
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        rows: rows.slice(0, limit),
        next: last ? { bucket: last.bucket, store_id: last.store_id, app_id: last.app_id } : null,
      }
    },
  }
}

function filled(days: readonly Seconds[], rows: readonly ReadSums[]): DayOfReads[] {
  const byBucket = new Map(rows.map(row => [row.bucket, row]))
  return days.map(day => {
    const { requests = 0, orders = 0, items = 0, sales = 0 } = byBucket.get(day) ?? {}
    return { day, requests, orders, items, sales }
  })
}

export type ReadFigures = ReturnType<typeof createReadFigures>
