import type { Seconds } from '../../lib/clock.ts'

/** Seconds until the next attempt, by failures; the last one repeats. */
const pauses: readonly Seconds[] = [5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600]

/** A receiver cannot ask for more. */
const longestRetryAfter: Seconds = 24 * 3600

/**
 * Milliseconds until the next attempt, after so many failures. Up to a quarter shorter, so that endpoints which failed
 * together do not return together; never before a Retry-After.
 */
export function pauseAfter(failures: number, retry_after: Seconds | null, random = Math.random()): number {
  const pause = pauses[Math.min(failures, pauses.length) - 1] ?? 0
  const asked = Math.min(retry_after ?? 0, longestRetryAfter)
  return Math.max(pause * (1 - random / 4), asked) * 1000
}

/** The seconds of a Retry-After header, which has a number or a date; null when it has neither. */
export function readRetryAfter(value: string | undefined, now_ms: number): Seconds | null {
  if (value === undefined) return null
  if (/^\d+$/.test(value.trim())) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, (at - now_ms) / 1000)
}
