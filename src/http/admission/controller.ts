/** Why a request is rejected: the queue is full, or the request has waited for its queue timeout. */
export type Rejection = 'queue_full' | 'queue_timeout'

export interface Ticket {
  /** Frees the slot, or leaves the queue. A second call does nothing. */
  release(): void
}

type Decide = (rejection: Rejection | null, ticket: Ticket) => void
export type AdmissionController = ReturnType<typeof createAdmissionController>
export type AdmissionLimits = ReturnType<typeof limitsFor>

/** The factors and the time slice were tuned on one machine (2 cores). */
export const limitsFor = (concurrency: number, queue_timeout: number, isForLargePages: boolean) => ({
  /** Requests that run at a time. */
  concurrency,
  /** Long, because a client that is rejected at once returns at once: rejections would take all the time. */
  max_queue_length: concurrency * 500,
  /** A longer queue is overload, until it is down to a quarter of this. */
  low_load_limit: concurrency * (isForLargePages ? 1 : 5),
  /** Milliseconds that a request may wait under overload, and otherwise. */
  queue_timeout,
  low_load_timeout: queue_timeout * 10,
  /** Under overload the newest request starts first. */
  adaptive_lifo: isForLargePages,
  /** Milliseconds of each iteration of the event loop in which requests start, so that other work goes on. */
  time_slice: 10,
})

/**
 * Weighted round robin (https://en.wikipedia.org/wiki/Weighted_round_robin): one new request starts for each 31 pieces.
 * The largest page of orders has half as many pieces, so no more pages start than finish.
 */
const piecesPerStart = 31

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
  let piecesSinceStart = 0
  let piecesInSlice = 0
  let isOverloaded = false
  let isExpiring = false
  let isDispatching = false
  const hasTime = createTimeSlice(limits.time_slice, timer.now, () => {
    piecesInSlice = 0
    dispatch()
  })

  function createEntry(state: 'waiting' | 'piece', decide: Decide) {
    const entry = {
      state: state as 'waiting' | 'piece' | 'running' | 'released',
      since: timer.now(),
      decide,
      release() {
        if (entry.state === 'waiting') countQueued(-1)
        if (entry.state === 'running') running--
        entry.state = 'released'
        // The entry may stay in the queue for a while; its request must not.
        entry.decide = forgotten
        dispatchSoon()
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

  /** Adaptive LIFO, once a request has waited half its timeout: the client of the newest is the least likely to give up. */
  function takeQueued() {
    const isStanding = timer.now() - (oldest()?.since ?? 0) > limits.queue_timeout / 2
    const isLifo = limits.adaptive_lifo && isOverloaded && isStanding
    let entry
    do entry = isLifo ? queue.pop() : queue.shift()
    while (entry?.state === 'released')
    countQueued(-1)
    return entry
  }

  /** While many pieces are sent in each slice, also a free slot is no reason to start more pages. */
  const mayStart = (): boolean =>
    piecesSinceStart >= piecesPerStart || (pieces.length === 0 && piecesInSlice <= piecesPerStart)

  function dispatch(): void {
    isDispatching = false
    while (queued + pieces.length > 0 && running < limits.concurrency && hasTime()) {
      const isStart = queued > 0 && mayStart()
      const entry = isStart ? takeQueued() : pieces.shift()
      if (entry === undefined) return
      piecesSinceStart = isStart ? 0 : piecesSinceStart + 1
      if (!isStart) piecesInSlice++
      entry.state = 'running'
      running++
      entry.decide(null, entry)
    }
  }

  /** SQLite answers within a microtask, so many requests start in one time slice. */
  function dispatchSoon(): void {
    if (isDispatching || queued + pieces.length === 0) return
    isDispatching = true
    queueMicrotask(dispatch)
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
      if (!isDispatching) dispatch()
      if (!isExpiring) expire()
      return entry
    },
    /** Admits the next piece of an answer that has begun: before new requests, and never rejected. */
    resume(decide: (ticket: Ticket) => void): void {
      const join = () => {
        pieces.push(createEntry('piece', (_rejection, ticket) => decide(ticket)))
        dispatchSoon()
      }
      // Without overload an iteration of the event loop is short, and other work goes first.
      if (isOverloaded) join()
      else setImmediate(join)
    },
  }
}

/**
 * Says whether the time slice of this iteration of the event loop has time left, and calls `next` in the following one.
 * After a slice that was too short, the next is half as long as the rest of the iteration, at most four slices: otherwise
 * an iteration with many rejections would leave too little time for answers.
 */
function createTimeSlice(time_slice: number, now: () => number, next: () => void): () => boolean {
  let end: number | null = null
  let lastGranted = 0
  let isExhausted = false
  return () => {
    const time = now()
    if (end === null) {
      const rest = isExhausted ? (time - lastGranted) / 2 : 0
      end = time + Math.min(Math.max(time_slice, rest), 4 * time_slice)
      setImmediate(() => {
        end = null
        next()
      })
    }
    isExhausted = time >= end
    if (!isExhausted) lastGranted = time
    return !isExhausted
  }
}
