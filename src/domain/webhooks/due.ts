import { type Clock, elapsedOf, millisecondsOf } from '../../lib/clock.ts'
import { leastSeq } from '../../lib/seq.ts'
import type { ActiveEndpoint, Storage } from '../../storage/port/index.ts'
import type { ActiveEndpoints } from './active-endpoints.ts'

/** Positions that one comparison of many endpoints reads. */
const maxFound = 5000
const compareEvery = 3600_000
/** Seconds: a transaction that takes longer to become visible is found by the complete comparison. */
const overlap = 300
const shortOverlap = 15
const sweepLongEvery = 10_000
/** Seconds between two writes of the watermark. */
const watermarkEvery = 60
/** On Citus a change of access may become visible on one server later than on another. */
const compareAgainAfter = 15_000

interface DueDeps {
  storage: Pick<Storage, 'webhooks' | 'changes'>
  clock: Clock
  active: ActiveEndpoints
  maxQueued: number
}

/** Finds the stores whose newest seq an endpoint does not know, and fills the queues with them. */
export function createDue({ storage: { webhooks, changes }, clock, active, maxQueued }: DueDeps) {
  const now = () => millisecondsOf(clock)
  /** For intervals: a clock that is set back must not delay a comparison. */
  const elapsed = () => elapsedOf(clock)
  let history: string | null = null
  let comparedAt = Number.NEGATIVE_INFINITY
  /** The newest seq that was possible at the last sweep, and the time of the last one with the long overlap. */
  let swept = 0
  let sweptLongAt = Number.NEGATIVE_INFINITY
  /** Endpoints whose app may read more than before: when to compare them again. */
  const widened = new Map<string, number>()
  /** Stores that another process sends: when to look whether it did. */
  const leasedByOthers = new Map<bigint, number>()

  /** What is due for one endpoint, as far as it fits the queue. */
  async function compareEndpoint(endpoint_id: string): Promise<void> {
    if (history === null) return
    const queue = active.queueOf(endpoint_id)
    const comparison = queue.beginComparison()
    const { after } = comparison
    const found = await webhooks.due({ endpoint_id, after }, history, now(), maxQueued)
    // Another queue, if the endpoint was disabled and enabled meanwhile: it gets a comparison of its own.
    if (active.get(endpoint_id)) queue.addCompared(found, comparison)
  }

  /** Stores that this process has changed, with the time of the first change. */
  async function compareStores(since: ReadonlyMap<bigint, number>): Promise<void> {
    if (active.size === 0 || history === null) return
    active.enqueue(await webhooks.due({ store_ids: [...since.keys()] }, history, now(), maxFound), since)
  }

  /** Reads the endpoints and the history again, and compares what the sweep does not find. */
  async function refresh(paused: boolean): Promise<void> {
    const before = new Map(active.all().map(endpoint => [endpoint.id, endpoint]))
    active.replace(paused ? [] : await webhooks.active())
    if (active.size === 0) return
    const formerly = history
    history = await changes.history()
    const isComplete = formerly !== history || elapsed() - comparedAt >= compareEvery
    const previous = comparedAt
    // A failure below makes the next round compare everything.
    comparedAt = Number.NEGATIVE_INFINITY
    for (const endpoint of active.all()) {
      const known = before.get(endpoint.id)
      if (isComplete || !known) await webhooks.complete(endpoint.id)
      if (isComplete || !known || isBehind(endpoint, known)) await compareEndpoint(endpoint.id)
    }
    comparedAt = isComplete ? elapsed() : previous
  }

  /** Whether there may be more to send than the queue of the endpoint has. */
  function isBehind(endpoint: ActiveEndpoint, known: ActiveEndpoint): boolean {
    const { id, failures, retry_at_ms } = endpoint
    if (isWider(endpoint, known)) return true
    // Another process had the success that makes everything due; it may end before it has sent all.
    if (known.failures > 0 && failures === 0) return true
    const queue = active.queueOf(id)
    if (queue.hasReady(now())) return false
    const mayRetry = failures > 0 && retry_at_ms <= now() && queue.running === 0
    return mayRetry || queue.isPartial
  }

  /** With more access, stores are due that changed before the last sweep. */
  function isWider({ id, scope, access_version }: ActiveEndpoint, known: ActiveEndpoint): boolean {
    if (scope !== known.scope || access_version !== known.access_version) {
      widened.set(id, elapsed() + compareAgainAfter)
      return true
    }
    const at = widened.get(id)
    if (at === undefined || at > elapsed()) return false
    widened.delete(id)
    return true
  }

  /** Stores that moved since the last sweep, also by other processes. */
  async function sweep(watermark: number): Promise<void> {
    const newest = leastSeq(clock.now())
    // The long overlap finds late transactions and what a process that has ended left; many stores have moved within it.
    const isLong = elapsed() - sweptLongAt >= sweepLongEvery
    const [from, before] = isLong ? [watermark, overlap] : [swept, shortOverlap]
    const above = Math.max(0, Math.min(from, newest) - leastSeq(before))
    const found = await webhooks.due({ above }, history ?? '', now(), maxFound)
    active.enqueue(found)
    if (found.length === maxFound) active.markPartial()
    swept = newest
    if (isLong) sweptLongAt = elapsed()
    if (newest - watermark >= leastSeq(watermarkEvery)) await webhooks.setWatermark(newest)
  }

  /** Stores that another process had the lease of: it may have ended before it sent them. */
  async function checkElsewhere(): Promise<void> {
    const store_ids = [...leasedByOthers].filter(([, at]) => at <= now()).map(([store_id]) => store_id)
    if (store_ids.length === 0) return
    const found = await webhooks.due({ store_ids }, history ?? '', now(), maxFound)
    active.enqueue(found)
    if (found.length === maxFound) active.markPartial()
    for (const store_id of store_ids) leasedByOthers.delete(store_id)
  }

  return {
    /** The history that positions are compared with; null before the first comparison. */
    get history() {
      return history
    },
    compareEndpoint,
    compareStores,
    /** Everything that a round compares. */
    async find(): Promise<void> {
      const { paused, watermark } = await webhooks.sender()
      await refresh(paused)
      if (active.size === 0) return
      await sweep(watermark)
      await checkElsewhere()
    },
    checkLater(store_id: bigint, at_ms: number): void {
      leasedByOthers.set(store_id, at_ms)
    },
  }
}

export type Due = ReturnType<typeof createDue>
