/** Upper ends in milliseconds, each included. Durations are counted by place: one for each end, and one beyond the last. */
const bounds = [0.5, 1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500, 1e3, 2e3, 4e3, 8e3, 15e3, 3e4]

export const latencyPlaces = bounds.length + 1

export function latencyPlace(milliseconds: number): number {
  let place = 0
  while (place < bounds.length && milliseconds > (bounds[place] as number)) place++
  return place
}

/**
 * The duration that `share` of the counted ones (0 to 1) do not exceed, in milliseconds; null when none was counted.
 * Within its place it is estimated as if the durations there were spread evenly; beyond the last end, it is that end.
 */
export function latencyPercentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  // Less a little: 0.07 × 100 is more than 7 in binary.
  const rank = Math.ceil(share * total - 1e-9)
  let before = 0
  for (const [place, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const low = bounds[place - 1] ?? 0
      const high = bounds[place] ?? low
      return low + (high - low) * ((rank - before) / count)
    }
    before += count
  }
  return bounds.at(-1) ?? null
}
