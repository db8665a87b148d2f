import type { Seconds } from '../../lib/clock.ts'
import type { BucketSpan } from '../../storage/port/index.ts'

const day = 86_400

/**
 * The widths of the buckets that sales are summed in; each is a multiple of the one before. Any window is then a few
 * sums of at most 14 buckets each below the widest, and the orders of two partial days. Buckets of an hour would make
 * these cheaper to read, and each order three times as expensive to store.
 */
export const bucketWidths = [day, 8 * day, 64 * day] as const

/** The first second of the bucket that contains this time. */
export const bucketOf = (time: Seconds, width: Seconds): Seconds => Math.floor(time / width) * width

export interface Cover {
  spans: BucketSpan[]
  edges: { from: Seconds; to: Seconds }[]
}

/** Cuts a window, both ends included, into whole buckets, the widest first, and the edges that fill no bucket. */
export function cover(from: Seconds, to: Seconds): Cover {
  const spans: BucketSpan[] = []
  const edges: { from: Seconds; to: Seconds }[] = []

  function cut(start: Seconds, end: Seconds, level: number): void {
    if (start > end) return
    const width = bucketWidths[level]
    if (width === undefined) {
      edges.push({ from: start, to: end })
      return
    }
    const first = bucketOf(start + width - 1, width)
    const behind = bucketOf(end + 1, width)
    if (first >= behind) {
      cut(start, end, level - 1)
      return
    }
    spans.push({ width, first, last: behind - width })
    cut(start, first - 1, level - 1)
    cut(behind, end, level - 1)
  }

  cut(from, to, bucketWidths.length - 1)
  return { spans, edges }
}
