import type { Clock, Seconds } from '../../lib/clock.ts'
import { type Storage, type UsageSpan, usageWidths } from '../../storage/port/index.ts'
import { bucketOf } from '../reading/sales-buckets.ts'
import type { UsageRecorder } from './recorder.ts'

export interface FiguresDeps {
  storage: Storage
  clock: Clock
  /** Flushed before figures are read, so that people see the requests that they have just made. */
  recorder: Pick<UsageRecorder, 'flush'>
}

/** The last `count` hours or days in UTC, including the current one. */
export function lastBuckets(width: 'hour' | 'day', count: number, now: Seconds): UsageSpan {
  const to = bucketOf(now, usageWidths[width])
  return { width: usageWidths[width], from: to - (count - 1) * usageWidths[width], to }
}

/** Every bucket of the span, oldest first. */
export const bucketsOf = ({ width, from, to }: UsageSpan): Seconds[] =>
  Array.from({ length: (to - from) / width + 1 }, (_, i) => from + i * width)
