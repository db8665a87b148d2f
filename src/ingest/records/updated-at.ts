import type { Seconds } from '../../lib/clock.ts'
import { formatDatetime } from '../../lib/datetime.ts'
import type { PreparedRecord } from './prepared.ts'
import type { Problem } from './problems.ts'

/** A till's clock may be wrong by its time zone; a record that is further ahead would make all later ones stale. */
const mostAhead: Seconds = 24 * 3600

export const isTooFarAhead = (updated_at: Seconds, now: Seconds): boolean => updated_at > now + mostAhead

/** A record whose updated_at is too far ahead. An order without one has its created_at instead. */
export function futureProblems({ kind, row }: PreparedRecord, now: Seconds): Problem[] {
  if (kind === 'store' || !isTooFarAhead(row.updated_at, now)) return []
  const latest = formatDatetime(now + mostAhead)
  const reason = `is ${formatDatetime(row.updated_at)}; it must be at most 24 hours after the server's time: until ${latest}`
  return [{ field: 'updated_at', rule: 'future', reason }]
}
