import type { Clock } from '../../lib/clock.ts'
import type { LoggedRequest } from '../../storage/port/index.ts'

interface Kept {
  errors: LoggedRequest[]
  others: LoggedRequest[]
}

const nothing: Kept = { errors: [], others: [] }

const countOf = ({ errors, others }: Kept): number => errors.length + others.length

/**
 * The requests that the next flush writes to the log, at most `most`. Beyond that each app gets an equal share and
 * errors take precedence, so that a busy app cannot displace another app's errors.
 */
export function createLogBuffer(clock: Clock, most: number) {
  let apps = new Map<string, Kept>()
  let size = 0
  /** Upper bounds over all apps: with them most requests that do not fit are dropped without a search. */
  let mostErrors = 0
  let mostOthers = 0
  let latest = 0
  let dropped = 0

  /** Drops an entry to fit one more of this app: one of its own when it has its share, else one of the largest app. */
  function dropOne(own: Kept, error: boolean): boolean {
    const share = Math.max(1, Math.floor(most / (apps.size + (own === nothing ? 1 : 0))))
    if (countOf(own) >= share) return error && own.others.length > 0 && take(own.others)
    // Only from an app that keeps more than this one has; otherwise two apps would displace each other forever.
    const enough = (error ? own.errors : own.others).length + 1
    if (mostOthers <= (error ? 0 : enough) && (!error || mostErrors <= enough)) return false
    const { others } = largest(apps, kept => kept.others)
    mostOthers = others.length
    if (others.length > (error ? 0 : enough)) return take(others)
    if (!error) return false
    const { errors } = largest(apps, kept => kept.errors)
    mostErrors = errors.length
    return errors.length > enough && take(errors)
  }

  function take(from: LoggedRequest[]): boolean {
    from.pop()
    size--
    dropped++
    return true
  }

  /**
   * Milliseconds: the seconds of the injected clock and the fraction of the system's. Always increasing, so that the log
   * keeps the order in which requests ended, even while the clock stands still.
   */
  function stamp(): number {
    latest = Math.max(clock.now() * 1000 + (Date.now() % 1000), latest + 1)
    return latest
  }

  /** False when the request does not fit. */
  function fits(request: LoggedRequest, own: Kept): boolean {
    if (size < most || dropOne(own, request.status >= 400)) return true
    dropped++
    return false
  }

  function keep(request: LoggedRequest, own: Kept): void {
    apps.set(request.app_id, own)
    if (request.status >= 400) mostErrors = Math.max(mostErrors, own.errors.push(request))
    else mostOthers = Math.max(mostOthers, own.others.push(request))
    size++
  }

  return {
    /** Sets the request's time, and keeps the request if it fits. */
    push(request: LoggedRequest): void {
      const own = apps.get(request.app_id)
      if (!fits(request, own ?? nothing)) return
      request.at_ms = stamp()
      keep(request, own ?? { errors: [], others: [] })
    },
    /** Takes back entries that could not be written, with the time that they have. */
    restore(requests: readonly LoggedRequest[]): void {
      for (const request of requests) {
        const own = apps.get(request.app_id)
        if (fits(request, own ?? nothing)) keep(request, own ?? { errors: [], others: [] })
      }
    },
    /** Returns all entries and empties the buffer. */
    take(): LoggedRequest[] {
      const all = [...apps.values()].flatMap(({ errors, others }) => [...errors, ...others])
      apps = new Map()
      size = 0
      mostErrors = 0
      mostOthers = 0
      return all
    },
    /** Entries that did not fit or were displaced. */
    get dropped() {
      return dropped
    },
  }
}

function largest(apps: ReadonlyMap<string, Kept>, listOf: (kept: Kept) => readonly unknown[]): Kept {
  let found = nothing
  for (const kept of apps.values()) if (listOf(kept).length > listOf(found).length) found = kept
  return found
}
