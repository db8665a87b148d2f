/** Why a visitor was turned away: too many were waiting already, or its own wait was too long. */
export type TurnedAway = 'crowded' | 'waited'

export interface Visit {
  /** Gives the place, or the wait for it, to the next; again, it does nothing. */
  leave(): void
}

export interface Gate {
  /** Calls `then` once: at once or later, with null for a place inside. Not at all when the visitor leaves before. */
  enter(then: (turnedAway: TurnedAway | null, visit: Visit) => void): Visit
}

export interface GateLimits {
  inside: number
  /** So many may wait; behind them nobody would have their turn in time. */
  waiting: number
  /** How long one waits where many are waiting all the time; and where they came all at once, and will soon be through. */
  patience_ms: number
  burst_ms: number
}

/** Lets so many in at a time. The others wait in the order in which they came, and not for long. */
export function createGate({ inside: room, waiting: benches, patience_ms, burst_ms }: GateLimits): Gate {
  let inside = 0
  const waiting = new Set<() => void>()
  /** Since when somebody has been waiting. */
  let crowdedSince = 0

  function free(): void {
    const [next] = waiting
    if (next) next()
    else inside--
  }

  /** Calls `lost` when the wait has been too long; answers how to end it before. */
  function beginWait(lost: () => void): () => void {
    if (waiting.size === 0) crowdedSince = performance.now()
    let timer = setTimeout(look, patience_ms)
    function look(): void {
      const left = crowdedSince + burst_ms - performance.now()
      if (left > 0) timer = setTimeout(look, left)
      else lost()
    }
    return () => clearTimeout(timer)
  }

  function enter(then: (turnedAway: TurnedAway | null, visit: Visit) => void): Visit {
    let onLeave = () => {}
    const visit: Visit = {
      leave() {
        const act = onLeave
        onLeave = () => {}
        act()
      },
    }
    const admit = () => {
      onLeave = free
      then(null, visit)
    }
    if (inside < room) {
      inside++
      admit()
    } else if (waiting.size < benches) {
      const endWait = beginWait(() => {
        visit.leave()
        then('waited', visit)
      })
      const called = () => {
        visit.leave()
        admit()
      }
      onLeave = () => {
        endWait()
        waiting.delete(called)
      }
      waiting.add(called)
    } else then('crowded', visit)
    return visit
  }

  return { enter }
}
