import type { Seconds } from '../../../lib/clock.ts'
import { storedAt } from '../../../lib/seq.ts'
import { formatAgo } from './amounts.ts'

/** `seq 1793534400000001, stored 10 min ago`. */
export function seqWithAge(seq: number, now: Seconds): string {
  const at = storedAt(seq)
  return at === null ? `seq ${seq}` : `seq ${seq}, stored ${formatAgo(at, now)}`
}
