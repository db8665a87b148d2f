import { type Clock, millisecondsOf } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { leastSeq, storedAt } from '../../lib/seq.ts'
import type {
  ActiveEndpoint,
  Attempt,
  DuePosition,
  NewDelivery,
  SequenceMove,
  Storage,
} from '../../storage/port/index.ts'
import { healthAfter, isSuccess, stateAfter, storeChanged } from './attempt.ts'
import { EndpointQueue } from './queue.ts'
import { createRecorder } from './recorder.ts'
import type { Send } from './send.ts'
import { signedHeaders } from './signature.ts'

/** Requests at a time for one endpoint, and for all: one dead endpoint holds few of them. */
const maxPerEndpoint = 4
const maxRunning = 500
/** Events of the outbox that are begun together for one endpoint. */
const maxEvents = 2
/** Stores in the queue of one endpoint. */
const maxQueued = 500
/** Positions that one comparison reads. */
const maxFound = 5000

/** Longer than an attempt. After it another process sends what a killed one has left. */
const leaseFor = 15_000
const tickEvery = 1000
/** Changes that are stored within so many milliseconds are compared together. */
const gatherFor = 20
const compareEvery = 3600_000
/** Seconds: a transaction that takes longer to become visible is found by the complete comparison. */
const overlap = 300
/** Seconds between two writes of the watermark. */
const watermarkEvery = 60

export interface DeliveryDeps {
  storage: Pick<Storage, 'webhooks' | 'changes'>
  clock: Clock
  send: Send
  /** Called when the database fails; the next tick repeats what was to be done. */
  notice?(error: unknown): void
  observe?: DeliveryObserver
}

export interface DeliveryObserver {
  /** `delay_ms`: from the commit to the first attempt for it. */
  attempt(type: string, delivered: boolean, delay_ms: number | null): void
  disabled(endpoint_id: string, reason: string): void
}

/**
 * The loop that delivers webhooks. What is due is derived from the database (a store's seq against the position of an
 * endpoint), so that nothing is lost with a process; a lease in the database decides which process sends.
 */
export function createDelivery({ storage, clock, send, notice = () => {}, observe }: DeliveryDeps) {
  const { webhooks, changes } = storage
  const now = () => millisecondsOf(clock)
  const queues = new Map<string, EndpointQueue>()
  let endpoints = new Map<string, ActiveEndpoint>()
  let history: string | null = null
  let comparedAt = Number.NEGATIVE_INFINITY
  let running = 0
  let isClosed = false
  const underWay = new Set<Promise<void>>()
  const recorder = createRecorder({ webhooks, moved: enqueue })
  let pumping: Promise<void> | null = null
  let isPumpDue = false
  /** Stores that this process has changed, with the time of the first change. */
  const touched = new Map<bigint, number>()
  /** Stores that another process sends: when to look whether it did. */
  const elsewhere = new Map<bigint, number>()
  let gathering: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  let nextPump: NodeJS.Timeout | undefined
  let ticking: Promise<void> | null = null

  const queueOf = (endpoint_id: string): EndpointQueue => {
    const queue = queues.get(endpoint_id) ?? new EndpointQueue(maxQueued)
    queues.set(endpoint_id, queue)
    return queue
  }

  function enqueue(found: readonly DuePosition[], since?: ReadonlyMap<bigint, number>): void {
    for (const { endpoint_id, store_id, next_at_ms } of found) {
      if (endpoints.has(endpoint_id))
        queueOf(endpoint_id).add(store_id, next_at_ms, since?.get(store_id) ?? null)
    }
  }

  /** Everything that is due for one endpoint, as far as it fits the queue. */
  async function compare(endpoint_id: string): Promise<void> {
    if (history === null) return
    const queue = queueOf(endpoint_id)
    queue.overflow = false
    const found = await webhooks.due({ endpoint_id }, history, now(), maxQueued)
    enqueue(found)
    if (found.length === maxQueued) queue.overflow = true
  }

  /** Reads the endpoints and the history again. */
  async function refresh(): Promise<{ paused: boolean; watermark: number }> {
    const sender = await webhooks.sender()
    const before = endpoints
    const active = sender.paused ? [] : await webhooks.active()
    endpoints = new Map(active.map(endpoint => [endpoint.id, endpoint]))
    for (const [id, queue] of queues) {
      if (!endpoints.has(id)) queue.clear()
      if (!endpoints.has(id) && queue.running === 0) queues.delete(id)
    }
    if (endpoints.size === 0) return sender
    const formerly = history
    history = await changes.history()
    const isComplete = formerly !== history || now() - comparedAt >= compareEvery
    const previous = comparedAt
    // A failure below makes the next round compare everything.
    comparedAt = Number.NEGATIVE_INFINITY
    for (const { id, failures, retry_at_ms } of active) {
      const known = before.get(id)
      const isNew = !known
      // Another process had the success that makes everything due; it may end before it has sent all.
      const hasRecovered = known && known.failures > 0 && failures === 0
      if (isComplete || isNew) await webhooks.complete(id)
      const queue = queueOf(id)
      const isIdle = !queue.hasReady(now())
      const mayRetry = failures > 0 && retry_at_ms <= now() && queue.running === 0 && isIdle
      const isDrained = queue.overflow && isIdle
      if (isComplete || isNew || hasRecovered || mayRetry || isDrained) await compare(id)
    }
    comparedAt = isComplete ? now() : previous
    return sender
  }

  /** Stores that moved since the last sweep, also by other processes. */
  async function sweep(watermark: number): Promise<void> {
    const newest = leastSeq(clock.now())
    const above = Math.max(0, Math.min(watermark, newest) - leastSeq(overlap))
    const found = await webhooks.due({ above }, history ?? '', now(), maxFound)
    enqueue(found)
    if (found.length === maxFound) for (const queue of queues.values()) queue.overflow = true
    if (newest - watermark >= leastSeq(watermarkEvery)) await webhooks.setWatermark(newest)
  }

  /** Stores whose claim another process had: it may have ended before it sent them. */
  async function checkElsewhere(): Promise<void> {
    const store_ids = [...elsewhere].filter(([, at]) => at <= now()).map(([store_id]) => store_id)
    if (store_ids.length === 0) return
    enqueue(await webhooks.due({ store_ids }, history ?? '', now(), maxFound))
    for (const store_id of store_ids) elsewhere.delete(store_id)
  }

  /** One round: what is due, then the attempts. */
  async function round(): Promise<void> {
    const { watermark } = await refresh()
    if (endpoints.size === 0 || isClosed) return
    await sweep(watermark)
    await checkElsewhere()
    await sendPending()
    await pump()
  }

  function tick(): Promise<void> {
    ticking ??= round()
      .catch(notice)
      .finally(() => {
        ticking = null
      })
    return ticking
  }

  /** Compares the stores that this process has just changed. */
  async function gather(): Promise<void> {
    const since = new Map(touched)
    touched.clear()
    if (endpoints.size === 0 || history === null) return
    enqueue(await webhooks.due({ store_ids: [...since.keys()] }, history, now(), maxFound), since)
    await pump()
  }

  /** How many requests may begin for an endpoint: one that fails is tried by one. */
  function freeSlots({ id, failures, retry_at_ms }: ActiveEndpoint): number {
    if (retry_at_ms > now()) return 0
    const most = failures > 0 ? 1 : maxPerEndpoint
    return Math.max(0, Math.min(most - queueOf(id).running, maxRunning - running))
  }

  /** Begins attempts; a call that comes during a claim makes the next one, so that a claim is of many stores. */
  function pump(): Promise<void> {
    isPumpDue = true
    pumping ??= pumpAll()
    return pumping
  }

  async function pumpAll(): Promise<void> {
    try {
      while (isPumpDue) {
        isPumpDue = false
        await claimReady()
      }
    } finally {
      pumping = null
    }
  }

  /** Begins attempts for stores that are ready, as far as there are free slots. */
  async function claimReady(): Promise<void> {
    if (isClosed || history === null) return
    const told = history
    const picked: { endpoint: ActiveEndpoint; store_id: bigint; since_ms: number | null }[] = []
    for (const endpoint of endpoints.values()) {
      const queue = queueOf(endpoint.id)
      for (const { store_id, since_ms } of queue.take(freeSlots(endpoint), now())) {
        picked.push({ endpoint, store_id, since_ms })
        queue.running++
        running++
      }
    }
    plan()
    if (picked.length === 0) return
    const lease = leaseNow()
    const positions = picked.map(({ endpoint, store_id }) => ({ endpoint_id: endpoint.id, store_id }))
    let isFailed = false
    const claimed = await webhooks.claim(positions, told, lease).catch(error => {
      notice(error)
      isFailed = true
      // They have left the queue: compare again.
      for (const { endpoint } of picked) queueOf(endpoint.id).overflow = true
      return []
    })
    const claims = new Map(claimed.map(claim => [`${claim.endpoint_id} ${claim.store_id}`, claim]))
    for (const { endpoint, store_id, since_ms } of picked) {
      const claim = claims.get(`${endpoint.id} ${store_id}`)
      if (!claim) {
        release(endpoint.id)
        elsewhere.set(store_id, now() + leaseFor)
        // The slot is free for the next store of the queue.
        if (!isFailed) isPumpDue = true
      } else {
        const event = storeChanged(endpoint, claim, told, now())
        const position = { history: told, seq: claim.seq }
        const stored = storedAt(claim.seq)
        begin(endpoint, event, lease.id, position, since_ms ?? (stored === null ? null : stored * 1000))
      }
    }
  }

  /** Wakes the pump when the next store is ready. */
  function plan(): void {
    let next: number | null = null
    for (const endpoint of endpoints.values()) {
      if (freeSlots(endpoint) === 0) continue
      const ready = queueOf(endpoint.id).nextReady()
      if (ready !== null) next = Math.min(next ?? ready, ready)
    }
    clearTimeout(nextPump)
    if (next !== null && !isClosed) nextPump = setTimeout(pumpSafely, Math.max(10, next - now()))
  }

  /** Work that nobody awaits; `close` waits for it. */
  function follow(work: Promise<void>): void {
    const promise = work.catch(notice).finally(() => underWay.delete(promise))
    underWay.add(promise)
  }

  const pumpSafely = () => follow(pump())

  function release(endpoint_id: string): void {
    running--
    queueOf(endpoint_id).running--
  }

  const leaseNow = () => ({ id: randomId(), now_ms: now(), until_ms: now() + leaseFor })

  /** Begins attempts for events of the outbox. */
  async function sendPending(): Promise<void> {
    const ids = [...endpoints.values()]
      // Stores take every slot while many are due; events of the outbox may go beyond.
      .filter(({ id }) => queueOf(id).running <= maxPerEndpoint)
      .map(({ id }) => id)
    if (ids.length === 0 || running >= maxRunning || isClosed) return
    const lease = leaseNow()
    for (const event of await webhooks.claimPending(ids, lease, maxEvents)) {
      const endpoint = endpoints.get(event.endpoint_id)
      if (!endpoint) continue
      queueOf(endpoint.id).running++
      running++
      begin(endpoint, event, lease.id, null, event.attempts === 0 ? event.created_at_ms : null)
    }
  }

  function begin(...given: Parameters<typeof attempt>): void {
    const [endpoint, , , position] = given
    const work = attempt(...given).finally(() => {
      release(endpoint.id)
      if (isClosed) return
      pumpSafely()
      if (position === null) follow(sendPending())
    })
    follow(work)
  }

  async function attempt(
    endpoint: ActiveEndpoint,
    event: NewDelivery,
    lease: string,
    position: Attempt['position'],
    since_ms: number | null,
  ): Promise<void> {
    const attempted_at_ms = now()
    const headers = signedHeaders(endpoint, event.id, event.body, attempted_at_ms)
    const answer = await send(endpoint.url, headers, event.body)
    const delay = since_ms === null || endpoint.failures > 0 ? null : Math.max(0, attempted_at_ms - since_ms)
    observe?.attempt(event.type, isSuccess(answer), delay)
    const { endpoint_id, id, type, store_id, body, created_at_ms } = event
    const { status, problem, duration_ms } = answer
    // Before the lease ends: a failure begins the pause of the endpoint.
    await judge(endpoint, answer).catch(notice)
    await recorder.record({
      endpoint_id,
      id,
      type,
      store_id,
      body,
      created_at_ms,
      lease,
      position,
      state: stateAfter(answer, event, now()),
      attempted_at_ms,
      duration_ms,
      status,
      problem,
      answer: answer.answer,
    })
  }

  /** Begins, prolongs or ends the backoff of the endpoint. */
  async function judge(endpoint: ActiveEndpoint, answer: Awaited<ReturnType<Send>>): Promise<void> {
    const health = healthAfter(answer, endpoint, now())
    if (health.failed === null && endpoint.failures === 0) return
    const counted = await webhooks.report(health)
    const current = endpoints.get(endpoint.id)
    if (!current || !counted) return
    const { failed } = health
    if (failed === null) {
      endpoints.set(endpoint.id, { ...current, failures: 0, failing_since: null, retry_at_ms: 0 })
      // One success makes everything due at once.
      await compare(endpoint.id)
      await sendPending()
      return
    }
    const { at, retry_at_ms, disable } = failed
    const failing_since = current.failing_since ?? at
    endpoints.set(endpoint.id, { ...current, failures: endpoint.failures + 1, failing_since, retry_at_ms })
    queueOf(endpoint.id).clear()
    if (disable === null) return
    endpoints.delete(endpoint.id)
    observe?.disabled(endpoint.id, disable)
  }

  return {
    /** Attempts under way. */
    get running() {
      return running
    },
    start(): void {
      timer = setInterval(() => void tick(), tickEvery).unref()
      void tick()
    },
    /** One round now; resolves when its attempts have begun. */
    tick,
    /** Changes that this process has stored. */
    moved(moves: readonly SequenceMove[]): void {
      if (endpoints.size === 0 || isClosed) return
      for (const { store_id } of moves) if (!touched.has(store_id)) touched.set(store_id, now())
      gathering ??= setTimeout(() => {
        gathering = undefined
        follow(gather())
      }, gatherFor)
    },
    /** There may be a new event in the outbox, or a new endpoint. */
    wake(): void {
      if (timer !== undefined && !isClosed) void tick()
    },
    /** Begins nothing more, and waits for the attempts under way. */
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      clearTimeout(nextPump)
      clearTimeout(gathering)
      await ticking
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

export type Delivery = ReturnType<typeof createDelivery>
