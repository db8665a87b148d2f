import { stringifyExact } from '../exact-json.ts'
import { pause } from '../transport.ts'
import { signWebhook } from '../webhooks.ts'
import type { StoreChange } from './watch.ts'

/** Posts `store.changed` for each store, one request at a time, until an answer 2xx or a newer change. */

export interface Delivery {
  id: string
  type: 'store.changed'
  store_id: bigint
  seq: number
  /** The HTTP status, or why there was none. */
  result: number | string
}

export interface ForwardOptions {
  address: string
  secret: string
  signal: AbortSignal
  onDelivery: (delivery: Delivery) => void
}

export function createForwarder(options: ForwardOptions): (change: StoreChange) => void {
  const { address, secret, signal, onDelivery } = options
  const newest = new Map<bigint, StoreChange>()

  async function post(change: StoreChange): Promise<boolean> {
    const { store_id, seq, feed } = change
    const type = 'store.changed'
    // The same change keeps its id, so that a receiver can tell a repeated delivery.
    const id = `msg_${store_id}_${seq}_${feed}`
    const now = new Date()
    const body = stringifyExact({ type, timestamp: now.toISOString(), data: { store_id, seq, feed } })
    const signed = await signWebhook({ secret, id, timestamp: Math.floor(now.getTime() / 1000), body })
    let result: Delivery['result']
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(10_000),
      })
      await response.body?.cancel()
      result = response.status
    } catch (error) {
      const { cause, message } = error as Error
      result =
        cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message
    }
    onDelivery({ id, type, store_id, seq, result })
    return typeof result === 'number' && result >= 200 && result < 300
  }

  async function deliver(store_id: bigint): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const change = newest.get(store_id)
      if (change === undefined) return
      if (await post(change)) {
        failures = 0
        // A change that came meanwhile goes out next.
        if (newest.get(store_id) === change) newest.delete(store_id)
      } else await pause(Math.min(30_000, 500 * 2 ** failures++), signal).catch(() => {})
    }
  }

  return change => {
    const isWaiting = newest.has(change.store_id)
    newest.set(change.store_id, change)
    if (!isWaiting) void deliver(change.store_id)
  }
}
