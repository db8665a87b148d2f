import { createLimiter } from './limiter.ts'

export interface Reservation {
  /** Reserves this many bytes in total; waits for other reservations when the budget is used up, and may be refused. */
  grow(bytes: number): Promise<void>
  release(): void
}

export interface BudgetOptions {
  /** Bytes that all reservations share. */
  shared: number
  /** The most bytes of one reservation from the shared part. */
  most: number
  /** How many reservations may wait, and for how many milliseconds. */
  maxQueue: number
  maxWait: number
  refuse: () => Error
}

/**
 * Bounds the memory that concurrent work holds together when nobody knows in advance how much each needs. Beyond the
 * shared bytes, or beyond its share of them, one reservation at a time may grow without a bound of its own: so one
 * always gets on, and reservations that wait for each other cannot block for ever.
 */
export function createMemoryBudget({ shared, most, maxQueue, maxWait, refuse }: BudgetOptions) {
  const exclusive = createLimiter({ concurrency: 1, maxQueue, maxWait, refuse })
  let used = 0

  return {
    open(): Reservation {
      let own = 0
      let isExclusive = false
      return {
        async grow(bytes) {
          if (isExclusive || bytes <= own) return
          if (bytes <= most && used + bytes - own <= shared) {
            used += bytes - own
            own = bytes
            return
          }
          await exclusive.acquire()
          isExclusive = true
        },
        release() {
          used -= own
          own = 0
          if (isExclusive) exclusive.release()
          isExclusive = false
        },
      }
    },
  }
}
