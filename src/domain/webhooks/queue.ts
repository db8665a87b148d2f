import type { DuePosition } from '../../storage/port/index.ts'

/** A store whose newest seq an endpoint does not know. */
interface Waiting {
  /** Not before it: at most one attempt a second, and none while another process has a lease. */
  ready_ms: number
  /** When this process stored the first change that is not sent; null when another one did. */
  since_ms: number | null
}

/** A comparison of an endpoint with the database that is under way. */
interface Comparison {
  /** It begins after this store. */
  after: bigint | null
  losses: number
}

/**
 * What this process has found to be due for one endpoint. It may forget: what is due is in the database, and the next
 * comparison finds it again.
 */
export class EndpointQueue {
  /** Attempts under way. */
  running = 0
  /** There may be more to send than the queue has: compare the endpoint when nothing is ready. */
  isPartial = false
  /** The next comparison begins after this store, so that all stores are sent even if they do not fit the queue at once. */
  #after: bigint | null = null
  /** Nothing is added before that comparison: stores that change all the time would take every place again. */
  #isFull = false
  /** How often the queue became partial. */
  #losses = 0
  readonly #stores = new Map<bigint, Waiting>()
  readonly #limit: number

  /** `limit`: stores at a time. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** True when the queue has the store now. */
  add(store_id: bigint, ready_ms: number, since_ms: number | null): boolean {
    const known = this.#stores.get(store_id)
    if (known) {
      // Of two reads the earlier may have seen a lease that has ended since. A lease that is asked for too early is refused.
      known.ready_ms = Math.min(known.ready_ms, ready_ms)
      known.since_ms ??= since_ms
      return true
    }
    if (this.#isFull || this.#stores.size >= this.#limit) {
      this.close()
      return false
    }
    this.#stores.set(store_id, { ready_ms, since_ms })
    return true
  }

  /** There may be more to send. */
  markPartial(): void {
    this.isPartial = true
    this.#losses++
  }

  /** Adds nothing until the endpoint is compared. */
  close(): void {
    this.#isFull = true
    this.markPartial()
  }

  /** Where a comparison begins, and what it cannot know of. */
  beginComparison(): Comparison {
    return { after: this.#after, losses: this.#losses }
  }

  /** Adds what a comparison has found, by store. */
  addCompared(found: readonly DuePosition[], { after, losses }: Comparison): void {
    // A store that was refused during the comparison may have changed after it was compared.
    const isComplete = after === null && losses === this.#losses && found.length < this.#limit
    this.isPartial = false
    this.#isFull = false
    const refused = found.findIndex(({ store_id, next_at_ms }) => !this.add(store_id, next_at_ms, null))
    const added = refused === -1 ? found : found.slice(0, refused)
    const isLast = refused === -1 && found.length < this.#limit
    this.#after = isLast ? null : (added.at(-1)?.store_id ?? after)
    if (!isComplete) this.close()
  }

  /** Removes and returns the first stores that are ready. */
  take(count: number, now_ms: number): { store_id: bigint; since_ms: number | null }[] {
    const taken: { store_id: bigint; since_ms: number | null }[] = []
    for (const [store_id, { ready_ms, since_ms }] of this.#stores) {
      if (taken.length >= count) break
      if (ready_ms > now_ms) continue
      this.#stores.delete(store_id)
      taken.push({ store_id, since_ms })
    }
    return taken
  }

  /** When the next store is ready; null when the queue is empty. */
  nextReady(): number | null {
    let next: number | null = null
    for (const { ready_ms } of this.#stores.values()) next = Math.min(next ?? ready_ms, ready_ms)
    return next
  }

  hasReady(now_ms: number): boolean {
    return (this.nextReady() ?? Number.POSITIVE_INFINITY) <= now_ms
  }

  clear(): void {
    this.#stores.clear()
    this.isPartial = false
    this.#isFull = false
  }
}
