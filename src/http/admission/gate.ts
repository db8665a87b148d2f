import { createQueue } from './queue.ts'

/** Why a visitor was turned away: too many were waiting already, or its own wait was too long. */
export type TurnedAway = 'crowded' | 'waited'

export interface Visit {
  /** Gives the place, or the wait for it, to the next; again, it does nothing. */
  leave(): void
}

export interface Gate {
  /** Calls `then` once: at once or later, with null for a place inside. Not at all when the visitor leaves before. */
  enter(then: (turnedAway: TurnedAway | null, visit: Visit) => void): Visit
  /**
   * For one who was inside and has more to do: goes before those who wait for their first time, and is not turned away.
   * So what was begun is finished, however many come; only now and then one of them has a turn between. Where no crowd
   * waits, all else has its turn first.
   */
  again(then: (visit: Visit) => void): void
}

export interface GateLimits {
  inside: number
  /**
   * Milliseconds in one turn of the event loop in which visitors are let in. Where somebody is always waiting it is half
   * as long as all else took, up to four times this: or turning others away would be all that is done.
   */
  turn_ms: number
  /** So many may wait; behind them nobody would have their turn in time. */
  waiting: number
  /** How long one waits where many are waiting all the time; and where they came all at once, and will soon be through. */
  patience_ms: number
  burst_ms: number
  /** And where they have never been more than `few` since somebody began to wait: that is slow work, not too much. */
  few: number
  few_ms: number
}

export interface Timer {
  /** Milliseconds since some moment. */
  now(): number
  /** Calls when so many milliseconds have passed; answers how to give that up. */
  after(milliseconds: number, call: () => void): () => void
}

const systemTimer: Timer = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds)
    return () => clearTimeout(timer)
  },
}

/**
 * Lets so many in at a time. The others wait, in the order in which they came, and not for long.
 *
 * Where a crowd stands and some come again and again, who is let in has a long way to go, and no time left to wait before
 * it: then of the crowd the one who came last is next. There would not be time for all of them anyway.
 *
 * What is done at once, as with SQLite, never takes two places at a time, but keeps the event loop from everything else:
 * from new connections, timers and whoever has another gate. So visitors are also let in for a short while only in each
 * turn of the loop.
 */
export function createGate(limits: GateLimits, timer: Timer = systemTimer): Gate {
  const { waiting: benches, patience_ms, burst_ms, few, few_ms } = limits
  let inside = 0
  const waiting = createQueue<() => void>()
  const returning = createQueue<() => void>()
  /** Since when somebody has been waiting, and the most that were since then. */
  let crowdedSince = 0
  let crowd = 0
  let opening = false
  /** Who came again since somebody came for the first time; when the last of them did. */
  let returned = 0
  let lastReturned = Number.NEGATIVE_INFINITY
  /** Who came again in this turn of the event loop. */
  let returnedInTurn = 0
  const hasTime = createTurn(limits.turn_ms, timer.now, () => {
    returnedInTurn = 0
    letIn()
  })

  const hasRoom = (): boolean => inside < limits.inside && hasTime()

  /** In a loop, because one who is let in may have left again when the call returns. */
  function letIn(): void {
    while (isWaitedFor() && hasRoom()) {
      const isForReturning = returning.size > 0 && (waiting.size === 0 || returned < returningForNew)
      if (isForReturning) returning.oldest?.()
      else if (!mayBegin()) break
      else if (hasStandingCrowd()) waiting.newest?.()
      else waiting.oldest?.()
    }
  }

  const isWaitedFor = (): boolean => returning.size + waiting.size > 0

  const isCrowd = (): boolean => waiting.size > few

  /** One that is no burst any more, before those who have a long way to go. */
  const hasStandingCrowd = (): boolean => {
    if (!isCrowd()) return false
    const now = timer.now()
    return now - crowdedSince > patience_ms / 2 && now - lastReturned < longWay_ms
  }

  /** Where many come again, one who may do so too begins for every so many. */
  const mayBegin = (): boolean => returnedInTurn <= returningForNew || returned >= returningForNew

  /** Where work is done at once, many have their turn one after the other before the event loop goes on. */
  function openSoon(): void {
    if (opening) return
    opening = true
    queueMicrotask(() => {
      opening = false
      letIn()
    })
  }

  function free(): void {
    inside--
    if (isWaitedFor()) openSoon()
  }

  /** A visit that ends when it is left for the first time. */
  function createVisit(): Visit & { onLeave: () => void } {
    const visit = {
      onLeave: () => {},
      leave() {
        const act = visit.onLeave
        visit.onLeave = () => {}
        act()
      },
    }
    return visit
  }

  /** Calls `lost` when the wait has been too long; answers how to end it before. */
  function beginWait(lost: () => void): () => void {
    const came = timer.now()
    // Also when nearly all of a crowd are through: under steady work the last of them may never be.
    if (waiting.size === 0 || (crowd > few && waiting.size < few / 4)) {
      crowdedSince = came
      crowd = 0
    }
    crowd = Math.max(crowd, waiting.size + 1)
    let giveUp = timer.after(patience_ms, look)
    function look(): void {
      const until = crowd > few ? crowdedSince + burst_ms : came + few_ms
      const left = until - timer.now()
      // Not all of it at once: few may become many.
      if (left > 0) giveUp = timer.after(Math.min(left, patience_ms), look)
      else lost()
    }
    return () => giveUp()
  }

  function enter(then: (turnedAway: TurnedAway | null, visit: Visit) => void): Visit {
    const visit = createVisit()
    const admit = () => {
      inside++
      returned = 0
      visit.onLeave = free
      then(null, visit)
    }
    if (!isWaitedFor() && mayBegin() && hasRoom()) admit()
    else if (waiting.size < benches) {
      const endWait = beginWait(() => {
        visit.leave()
        then('waited', visit)
      })
      const called = () => {
        visit.leave()
        admit()
      }
      const stepOut = waiting.add(called)
      visit.onLeave = () => {
        endWait()
        stepOut()
      }
    } else then('crowded', visit)
    return visit
  }

  function again(then: (visit: Visit) => void): void {
    const visit = createVisit()
    const admit = () => {
      inside++
      returned++
      returnedInTurn++
      lastReturned = timer.now()
      visit.onLeave = free
      then(visit)
    }
    const comeBack = () => {
      if (!isWaitedFor() && hasRoom()) return admit()
      const stepOut = returning.add(() => {
        stepOut()
        admit()
      })
      openSoon()
    }
    // In a crowd a turn of the event loop is long, and most of it goes to others.
    if (isCrowd()) comeBack()
    else setImmediate(comeBack)
  }

  return { enter, again }
}

/**
 * Behind so many who came again one who waits for the first time has a turn. The largest pages of orders have half as many
 * pieces: so no more are begun than are finished, and who wants little does not wait for all of them.
 */
const returningForNew = 31

/** Who came again so long ago says nothing about those who are let in now. */
const longWay_ms = 100

/** Not as long as all else took: that is reading the requests of those who are let in, and each turn would be longer. */
const shareOfElsewhere = 0.5

/** A turn in which visitors are let in lasts at most so many times its usual time. */
const mostTurns = 4

/** Tells whether there is time left in this turn of the event loop; where it was asked, `open` is called in the next. */
function createTurn(turn_ms: number, clock: () => number, open: () => void): () => boolean {
  /** When this turn ends, when somebody could last come in, and whether somebody since then could not. */
  let until = 0
  let lastIn = 0
  let pressed = false
  let over = true

  return () => {
    const now = clock()
    if (over) {
      over = false
      const elsewhere = pressed ? now - lastIn : 0
      until = now + Math.min(Math.max(turn_ms, elsewhere * shareOfElsewhere), mostTurns * turn_ms)
      // Runs when all sockets that were found readable have been read.
      setImmediate(() => {
        over = true
        open()
        // What is left when this returns belongs to the sockets that are read next.
      })
    }
    pressed = now >= until
    if (!pressed) lastIn = now
    return !pressed
  }
}
