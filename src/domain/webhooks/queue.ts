/** A store whose newest seq an endpoint does not know. */
interface Waiting {
  /** Not before it: at most one attempt a second, and none while another process has a lease. */
  ready_ms: number
  /** When this process stored the first change that is not sent; null when another one did. */
  since_ms: number | null
}

/**
 * What this process has found to be due for one endpoint. It may forget: what is due is in the database, and the next
 * comparison finds it again.
 */
export class EndpointQueue {
  /** Attempts under way. */
  running = 0
  /** There was more to do than fits: compare again when the queue is empty. */
  overflow = false
  readonly #stores = new Map<bigint, Waiting>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  add(store_id: bigint, ready_ms: number, since_ms: number | null): void {
    const known = this.#stores.get(store_id)
    if (known) {
      // Of two reads the earlier may have seen a lease that has ended since. A claim that is too early is refused.
      known.ready_ms = Math.min(known.ready_ms, ready_ms)
      known.since_ms ??= since_ms
    } else if (this.#stores.size >= this.#limit) this.overflow = true
    else this.#stores.set(store_id, { ready_ms, since_ms })
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
    this.overflow = false
  }
}
