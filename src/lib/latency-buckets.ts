/** Upper bounds in milliseconds, inclusive. A last bucket counts the durations beyond all of them. */
const bounds = [0.5, 1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500, 1e3, 2e3, 4e3, 8e3, 15e3, 3e4]

/** The database stores one count for each bucket, so a change of the bounds needs a migration. */
export const latencyBucketCount = bounds.length + 1

export function latencyBucketOf(milliseconds: number): number {
  let bucket = 0
  while (bucket < bounds.length && milliseconds > (bounds[bucket] as number)) bucket++
  return bucket
}

/**
 * The duration in milliseconds that `share` (0 to 1) of the counted requests do not exceed, or null without requests.
 * It is interpolated within its bucket; beyond the last bound it is that bound.
 */
export function latencyPercentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  // In floating point 0.07 × 100 is slightly more than 7, which must not become rank 8.
  const rank = Math.ceil(share * total - 1e-9)
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const low = bounds[bucket - 1] ?? 0
      const high = bounds[bucket] ?? low
      return low + (high - low) * ((rank - before) / count)
    }
    before += count
  }
  return bounds.at(-1) ?? null
}
