import type { ActiveEndpoint, DuePosition } from '../../storage/port/index.ts'
import { EndpointQueue } from './queue.ts'

/**
 * Requests at a time for one endpoint, and for all: one dead endpoint holds few of them. When half of all are in use, an
 * endpoint gets one, so that many slow endpoints leave slots to the others.
 */
const maxPerEndpoint = 4
const maxRunning = 500

/** The endpoints that may be called, with what is due for each and how many requests are under way. */
export class ActiveEndpoints {
  /** Requests under way. */
  running = 0
  #endpoints = new Map<string, ActiveEndpoint>()
  readonly #queues = new Map<string, EndpointQueue>()
  readonly #maxQueued: number

  constructor(maxQueued: number) {
    this.#maxQueued = maxQueued
  }

  get size(): number {
    return this.#endpoints.size
  }

  get(id: string): ActiveEndpoint | undefined {
    return this.#endpoints.get(id)
  }

  all(): ActiveEndpoint[] {
    return [...this.#endpoints.values()]
  }

  /** What the database says now. */
  replace(endpoints: readonly ActiveEndpoint[]): void {
    this.#endpoints = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
    for (const [id, queue] of this.#queues) {
      if (this.#endpoints.has(id)) continue
      queue.clear()
      if (queue.running === 0) this.#queues.delete(id)
    }
  }

  /** What an attempt has changed. */
  update(endpoint: ActiveEndpoint): void {
    this.#endpoints.set(endpoint.id, endpoint)
  }

  remove(id: string): void {
    this.#endpoints.delete(id)
  }

  queueOf(id: string): EndpointQueue {
    const queue = this.#queues.get(id) ?? new EndpointQueue(this.#maxQueued)
    this.#queues.set(id, queue)
    return queue
  }

  /** `since`: when this process stored the first change of a store. */
  enqueue(found: readonly DuePosition[], since?: ReadonlyMap<bigint, number>): void {
    for (const { endpoint_id, store_id, next_at_ms } of found) {
      if (this.#endpoints.has(endpoint_id))
        this.queueOf(endpoint_id).add(store_id, next_at_ms, since?.get(store_id) ?? null)
    }
  }

  /** There may be more to send than the queues have. */
  markPartial(): void {
    for (const queue of this.#queues.values()) queue.markPartial()
  }

  /** How many requests may begin for an endpoint: a failing endpoint gets one at a time. */
  freeSlots({ id, failures, retry_at_ms }: ActiveEndpoint, now_ms: number): number {
    if (retry_at_ms > now_ms) return 0
    const most = failures > 0 || this.running >= maxRunning / 2 ? 1 : maxPerEndpoint
    return Math.max(0, Math.min(most - this.queueOf(id).running, maxRunning - this.running))
  }

  /** Stores take every slot while many are due; events of the outbox may go beyond. */
  acceptingEvents(): string[] {
    if (this.running >= maxRunning) return []
    return [...this.#endpoints.keys()].filter(id => this.queueOf(id).running <= maxPerEndpoint)
  }

  occupy(id: string): void {
    this.running++
    this.queueOf(id).running++
  }

  release(id: string): void {
    this.running--
    this.queueOf(id).running--
  }
}
