import { inDays } from '../../contract/lifetimes.ts'
import type { ErrorDetail } from '../../errors.ts'
import type { Seconds } from '../../lib/clock.ts'
import { formatDatetime } from '../../lib/datetime.ts'

/** A window of time; both ends belong to it. */
export interface Window {
  start_date: Seconds
  end_date: Seconds
}

/** Spec 4.3 and 8: a window runs forward and is no longer than the limit, when there is one. */
export function checkWindow({ start_date, end_date }: Partial<Window>, longest = Infinity): ErrorDetail[] {
  if (start_date === undefined || end_date === undefined) return []
  const span = end_date - start_date
  if (span < 0) {
    return [
      {
        field: 'end_date',
        code: 'window_reversed',
        message: `end_date is ${-span} s before start_date; it must not be earlier`,
      },
    ]
  }
  if (span > longest) {
    const suggested_windows = cut({ start_date, end_date }, longest)
    const needed = Math.ceil((span + 1) / longest)
    const part =
      needed > mostSuggested ? `; the suggested windows are the first ${mostSuggested} of ${needed}` : ''
    return [
      {
        field: 'end_date',
        code: 'window_too_long',
        message: `the window was ${span} s; the maximum is ${longest} s (${inDays(longest)})${part}`,
        suggested_windows,
      },
    ]
  }
  return []
}

const mostSuggested = 200

/** The window in parts that are short enough: each ends a second before the next begins. */
function cut({ start_date, end_date }: Window, longest: Seconds): { start_date: string; end_date: string }[] {
  const parts = []
  for (let from = start_date; from <= end_date && parts.length < mostSuggested; from += longest) {
    const to = Math.min(from + longest - 1, end_date)
    parts.push({ start_date: formatDatetime(from), end_date: formatDatetime(to) })
  }
  return parts
}
