export interface LimiterOptions {
  /** How many run at the same time. */
  concurrency: number
  /** How many may wait; no bound when left out. */
  maxQueue?: number
  /** The longest wait in milliseconds; no bound when left out. */
  maxWait?: number
  /** The error for a caller that finds the queue full or has waited too long. */
  refuse?: () => Error
}

export interface Limiter {
  /** Runs `work` as soon as a slot is free: at once, before this returns, when one is free now. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** The two halves of `run`, for a caller that holds several slots. Each `acquire` needs one `release`. */
  acquire(): Promise<void>
  release(): void
  /** Rejects all that wait. Those that come later wait as ever. */
  rejectWaiting(reason: Error): void
  /** Rejects all that wait, and all that come later, with this reason. Work that has begun goes on. */
  abort(reason: Error): void
  /** True when nothing runs and nothing waits. */
  readonly idle: boolean
}

interface Waiter {
  start(): void
  fail(error: Error): void
}

/** A concurrency limit with a first-in, first-out queue. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, maxQueue = Number.POSITIVE_INFINITY, maxWait } = options
  const refuse = options.refuse ?? (() => new Error(`${concurrency} are running and ${waiting.size} waiting`))
  const waiting = new Set<Waiter>()
  let running = 0
  let aborted: Error | null = null

  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        start: () => settle(resolve),
        fail: error => settle(() => reject(error)),
      }
      const timer = maxWait === undefined ? undefined : setTimeout(() => waiter.fail(refuse()), maxWait)
      function settle(done: () => void): void {
        clearTimeout(timer)
        waiting.delete(waiter)
        done()
      }
      waiting.add(waiter)
    })

  /** Null when a slot was free. */
  function enter(): Promise<void> | null {
    if (aborted) return Promise.reject(aborted)
    if (running < concurrency) {
      running++
      return null
    }
    return waiting.size < maxQueue ? wait() : Promise.reject(refuse())
  }

  function release(): void {
    const [next] = waiting
    // The slot passes to the next waiter without becoming free, so that no newcomer takes it first.
    if (next) next.start()
    else running--
  }

  function rejectWaiting(reason: Error): void {
    for (const waiter of waiting) waiter.fail(reason)
  }

  return {
    async run(work) {
      const queued = enter()
      if (queued) await queued
      try {
        return await work()
      } finally {
        release()
      }
    },
    async acquire() {
      await enter()
    },
    release,
    rejectWaiting,
    abort(reason) {
      aborted = reason
      rejectWaiting(reason)
    },
    get idle() {
      return running === 0
    },
  }
}
