import type { Clock } from '../../lib/clock.ts'
import type { LoggedRequest } from '../../storage/port/index.ts'

interface Kept {
  errors: LoggedRequest[]
  others: LoggedRequest[]
}

const nothing: Kept = { errors: [], others: [] }

const countOf = ({ errors, others }: Kept): number => errors.length + others.length

/**
 * The requests that the next flush will log: `most` at a time. When there are more, each app has an equal share, and
 * errors go before the rest: an app that is polling hard pushes nobody's error out.
 */
export function createLogBuffer(clock: Clock, most: number) {
  let apps = new Map<string, Kept>()
  let size = 0
  /** No app has more than these: most requests that find no room then need not look at all the apps. */
  let mostErrors = 0
  let mostOthers = 0
  let latest = 0
  let dropped = 0

  /** Room for one more of this app: at its own cost when it has its share, else at the cost of the app with most. */
  function makeRoom(own: Kept, error: boolean): boolean {
    const share = Math.max(1, Math.floor(most / (apps.size + (own === nothing ? 1 : 0))))
    if (countOf(own) >= share) return error && own.others.length > 0 && take(own.others)
    // Taken only from one that has more left, or two apps would go on taking from each other.
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
   * In milliseconds: the second is the clock's, the fraction the machine's. Never the same twice, so that the log has
   * the order in which requests ended, also while a clock stands still.
   */
  function stamp(): number {
    latest = Math.max(clock.now() * 1000 + (Date.now() % 1000), latest + 1)
    return latest
  }

  return {
    /** Says when it ended, and keeps it when there is room. */
    push(request: LoggedRequest): void {
      let own = apps.get(request.app_id)
      const error = request.status >= 400
      if (size >= most && !makeRoom(own ?? nothing, error)) {
        dropped++
        return
      }
      if (!own) {
        own = { errors: [], others: [] }
        apps.set(request.app_id, own)
      }
      request.at_ms = stamp()
      if (error) mostErrors = Math.max(mostErrors, own.errors.push(request))
      else mostOthers = Math.max(mostOthers, own.others.push(request))
      size++
    },
    /** All that is kept; the buffer is empty then. */
    take(): LoggedRequest[] {
      const all = [...apps.values()].flatMap(({ errors, others }) => [...errors, ...others])
      apps = new Map()
      size = 0
      mostErrors = 0
      mostOthers = 0
      return all
    },
    /** How many found no room, or lost it again. */
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
