/** Why a request is rejected: the queue is full, or the request has waited for its queue timeout. */
export type Rejection = 'queue_full' | 'queue_timeout'

export interface Ticket {
  /** Frees the slot, or leaves the queue. A second call does nothing. */
  release(): void
}

type Decide = (rejection: Rejection | null, ticket: Ticket) => void
export type AdmissionController = ReturnType<typeof createAdmissionController>
export type AdmissionLimits = ReturnType<typeof limitsFor>

/** The factors were tuned on one machine (2 cores). */
export const limitsFor = (max_requests: number, queue_timeout: number, isForLargePages: boolean) => ({
  /** Requests that run at a time. Fewer large pages: on 2 cores, 20 at a time sent no more and took twice as long each. */
  concurrency: isForLargePages ? Math.ceil(max_requests / 4) : max_requests,
  /** Long, because a client that is rejected at once returns at once: rejections would take all the time. */
  max_queue_length: max_requests * 500,
  /** A longer queue is overload, until it is down to a quarter of this. */
  low_load_limit: max_requests * (isForLargePages ? 1 : 5),
  /** Milliseconds that a request may wait under overload, and otherwise. */
  queue_timeout,
  low_load_timeout: queue_timeout * 10,
  /** Under overload the newest request starts first. */
  adaptive_lifo: isForLargePages,
  /** Milliseconds in which a released slot is free at once; otherwise once other I/O has been handled. */
  time_slice: isForLargePages ? 0 : 10,
})

/** One for all entries: with a closure for each, scavenges took 14 to 19 ms instead of 1.2 to 1.5 under polls (304). */
const forgotten: Decide = () => {}

const systemTimer = {
  now: () => performance.now(),
  setTimeout: (call: () => void, ms: number) => void setTimeout(call, ms),
}

/**
 * Admission control (https://sre.google/sre-book/handling-overload/) for one class of requests: a concurrency limit, and a
 * bounded queue with the controlled delay (CoDel) and adaptive LIFO of https://queue.acm.org/detail.cfm?id=2839461.
 */
export function createAdmissionController(limits: AdmissionLimits, timer = systemTimer) {
  /** New requests by arrival. A released one stays until it is the oldest or the newest; `queued` leaves it out. */
  const queue: ReturnType<typeof createEntry>[] = []
  const pieces: typeof queue = []
  let queued = 0
  let running = 0
  let released = 0
  let sliceEnd = 0
  let isOverloaded = false
  let isExpiring = false

  function createEntry(state: 'waiting' | 'piece', decide: Decide) {
    const entry = {
      state: state as 'waiting' | 'piece' | 'running' | 'released',
      since: timer.now(),
      decide,
      release() {
        if (entry.state === 'waiting') countQueued(-1)
        if (entry.state === 'running') freeSlot()
        entry.state = 'released'
        // The entry may stay in the queue for a while; its request must not.
        entry.decide = forgotten
      },
    }
    return entry
  }

  function countQueued(change: 1 | -1): void {
    queued += change
    isOverloaded = queued > limits.low_load_limit / (isOverloaded ? 4 : 1)
  }

  function oldest() {
    while (queue[0]?.state === 'released') queue.shift()
    return queue[0]
  }

  /** CoDel: the timeout is short while the queue stays long. The oldest request is always the first to expire. */
  function expire(): void {
    const timeout = () => (isOverloaded ? limits.queue_timeout : limits.low_load_timeout)
    for (let entry = oldest(); entry && timer.now() - entry.since >= timeout(); entry = oldest()) {
      const { decide } = entry
      entry.release()
      decide('queue_timeout', entry)
    }
    isExpiring = queued > 0
    if (isExpiring) timer.setTimeout(expire, limits.queue_timeout / 40)
  }

  /** Adaptive LIFO, once the oldest is about to be rejected; until then first in, first out answers all of them in time. */
  function takeQueued() {
    const isLate = timer.now() - (oldest()?.since ?? 0) > limits.queue_timeout * 0.9
    const isLifo = limits.adaptive_lifo && isOverloaded && isLate
    let entry
    do entry = isLifo ? queue.pop() : queue.shift()
    while (entry?.state === 'released')
    countQueued(-1)
    return entry
  }

  function dispatch(): void {
    while (queued + pieces.length > 0 && running < limits.concurrency) {
      const entry = pieces.shift() ?? takeQueued()
      if (entry === undefined) return
      entry.state = 'running'
      running++
      entry.decide(null, entry)
    }
  }

  /** SQLite answers within a microtask: if slots were always free at once, nothing else would run while requests wait. */
  function freeSlot(): void {
    released++
    if (released > 1) return
    if (timer.now() < sliceEnd) queueMicrotask(free)
    else
      setImmediate(() => {
        sliceEnd = timer.now() + limits.time_slice
        free()
      })
  }

  function free(): void {
    running -= released
    released = 0
    dispatch()
  }

  return {
    /** Calls `decide` once, now or later: with null when the request may start. Never after the ticket was released. */
    admit(decide: Decide): Ticket {
      const entry = createEntry('waiting', decide)
      if (queued >= limits.max_queue_length) {
        entry.state = 'released'
        decide('queue_full', entry)
        return entry
      }
      queue.push(entry)
      countQueued(1)
      dispatch()
      if (!isExpiring) expire()
      return entry
    },
    /** Admits the next piece of an answer that has begun: before new requests, and never rejected. */
    resume(decide: (ticket: Ticket) => void): void {
      pieces.push(createEntry('piece', (_rejection, ticket) => decide(ticket)))
      dispatch()
    },
  }
}
