import type { Seconds } from '../../lib/clock.ts'
import type { IngestDelta, UsageSpan } from '../../storage/port/index.ts'
import { bucketsOf, type FiguresDeps, lastBuckets } from './figures.ts'

/** The records that the platform sent. A lag is the seconds from an order's updated_at to its commit; null without orders. */
export interface IngestFigures {
  requests: number
  stores: number
  items: number
  orders: number
  unchanged: number
  last_at: Seconds | null
  lag_last: number | null
  lag_max: number | null
  lag_mean: number | null
  /** The highest number that a change of an order or item got. */
  newest_seq: number | null
}

/** The figures of one hour or day; `at` is its first second. */
interface IngestPoint extends IngestFigures {
  at: Seconds
}

export interface IngestChart {
  /** Oldest first, including those without batches. */
  points: IngestPoint[]
  total: IngestFigures
}

export function createIngestFigures({ storage, clock, recorder }: FiguresDeps) {
  async function chart(span: UsageSpan): Promise<IngestChart> {
    await recorder.flush()
    const rows = await storage.usage.ingest(span)
    return {
      points: bucketsOf(span).map(at => ({ at, ...figuresOf(rows.filter(({ bucket }) => bucket === at)) })),
      total: figuresOf(rows),
    }
  }

  return {
    byHour: (hours: number): Promise<IngestChart> => chart(lastBuckets('hour', hours, clock.now())),
    byDay: (days: number): Promise<IngestChart> => chart(lastBuckets('day', days, clock.now())),
  }
}

function figuresOf(rows: readonly IngestDelta[]): IngestFigures {
  const total = (name: 'requests' | 'stores' | 'items' | 'orders' | 'unchanged' | 'lagged' | 'lag_sum') =>
    rows.reduce((sum, row) => sum + row[name], 0)
  const lagged = total('lagged')
  return {
    requests: total('requests'),
    stores: total('stores'),
    items: total('items'),
    orders: total('orders'),
    unchanged: total('unchanged'),
    last_at: rows.at(-1)?.last_at ?? null,
    lag_last: rows.findLast(({ lag_last }) => lag_last !== null)?.lag_last ?? null,
    lag_max: lagged === 0 ? null : Math.max(...rows.map(({ lag_max }) => lag_max)),
    lag_mean: lagged === 0 ? null : total('lag_sum') / lagged,
    newest_seq: rows.findLast(({ newest_seq }) => newest_seq !== null)?.newest_seq ?? null,
  }
}
