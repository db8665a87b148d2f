import { randomId } from '../../lib/ids.ts'
import { storedAt } from '../../lib/seq.ts'
import type { ActiveEndpoint, Attempt, Lease, NewDelivery, Webhooks } from '../../storage/port/index.ts'
import type { ActiveEndpoints } from './active-endpoints.ts'
import type { Background } from './background.ts'
import type { Due } from './due.ts'
import { storeChanged } from './store-changed.ts'

/** Events of the outbox that are begun together for one endpoint. */
const maxEvents = 2
/** Longer than an attempt. After it another process sends what a killed one has left. */
const leaseFor = 15_000

/** An event that this process alone may send. */
export interface Leased {
  endpoint: ActiveEndpoint
  event: NewDelivery
  lease: string
  position: Attempt['position']
  /** When it could have been sent first; null when that is not known, or it was sent before. */
  since_ms: number | null
}

/** A store that has left the queue of an endpoint, and has one of its slots. */
interface Taken {
  endpoint_id: string
  store_id: bigint
  since_ms: number | null
}

interface LeaseDeps {
  webhooks: Pick<Webhooks, 'active' | 'lease' | 'leasePending'>
  now(): number
  active: ActiveEndpoints
  due: Due
  background: Background
  notice(error: unknown): void
  attempt(leased: Leased): Promise<void>
}

/** Decides by leases which process sends an event, and begins its attempt. */
export function createLeases({ webhooks, now, active, due, background, notice, attempt }: LeaseDeps) {
  let isClosed = false
  let leasing: Promise<void> | null = null
  let isLeaseDue = false
  let next: NodeJS.Timeout | undefined

  /** A call while leases are taken takes more afterwards, so that each step is of many stores. */
  function leaseStores(): Promise<void> {
    isLeaseDue = true
    leasing ??= leaseWhileDue()
    return leasing
  }

  async function leaseWhileDue(): Promise<void> {
    try {
      while (isLeaseDue) {
        isLeaseDue = false
        await leaseReady()
      }
    } finally {
      leasing = null
    }
  }

  /** Begins attempts for stores that are ready, as far as there are free slots. */
  async function leaseReady(): Promise<void> {
    const { history } = due
    if (isClosed || history === null) return
    const taken = takeReady()
    planNext()
    if (taken.length === 0) return
    const lease = newLease()
    const leased = await leaseAll(taken, history, lease).catch(error => {
      notice(error)
      return null
    })
    for (const { endpoint_id, store_id, since_ms } of taken) {
      const found = leased?.get(`${endpoint_id} ${store_id}`)
      if (found) {
        const { endpoint, event, seq } = found
        const stored = storedAt(seq)
        begin({
          endpoint,
          event,
          lease: lease.id,
          position: { history, seq },
          since_ms: since_ms ?? (stored === null ? null : stored * 1000),
        })
        continue
      }
      active.release(endpoint_id)
      // It has left the queue.
      if (leased === null) active.queueOf(endpoint_id).close()
      else {
        due.checkLater(store_id, lease.until_ms)
        // The slot is free for the next store of the queue.
        isLeaseDue = true
      }
    }
  }

  /** Those that this process may send, by endpoint and store. */
  async function leaseAll(taken: readonly Taken[], history: string, lease: Lease) {
    const positions = await webhooks.lease(taken, history, lease)
    const endpoints = await current(positions)
    return new Map(
      positions.flatMap(position => {
        const { endpoint_id, store_id, seq } = position
        const endpoint = endpoints.get(endpoint_id)
        // Null when the app has lost its scopes since the lease began.
        const event = endpoint ? storeChanged(endpoint, position, history, now()) : null
        return endpoint && event ? [[`${endpoint_id} ${store_id}`, { endpoint, event, seq }]] : []
      }),
    )
  }

  /** The endpoints as they are now: a new secret signs from this attempt on. */
  async function current(leased: readonly { endpoint_id: string }[]): Promise<Map<string, ActiveEndpoint>> {
    const ids = new Set(leased.map(({ endpoint_id }) => endpoint_id))
    const endpoints = ids.size === 0 ? [] : await webhooks.active([...ids])
    return new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
  }

  function takeReady(): Taken[] {
    return active.all().flatMap(endpoint => {
      const { id: endpoint_id } = endpoint
      const stores = active.queueOf(endpoint_id).take(active.freeSlots(endpoint, now()), now())
      return stores.map(store => {
        active.occupy(endpoint_id)
        return { endpoint_id, ...store }
      })
    })
  }

  /** Takes leases again when the next store is ready. */
  function planNext(): void {
    let at = Number.POSITIVE_INFINITY
    for (const endpoint of active.all()) {
      if (active.freeSlots(endpoint, now()) === 0) continue
      at = Math.min(at, active.queueOf(endpoint.id).nextReady() ?? at)
    }
    clearTimeout(next)
    if (Number.isFinite(at)) next = setTimeout(leaseLater, Math.max(10, at - now()))
  }

  const leaseLater = () => background.run(leaseStores())

  /** Begins attempts for events of the outbox. */
  async function leaseEvents(): Promise<void> {
    const ids = active.acceptingEvents()
    if (ids.length === 0 || isClosed) return
    const lease = newLease()
    const events = await webhooks.leasePending(ids, lease, maxEvents)
    const endpoints = await current(events)
    for (const event of events) {
      const endpoint = endpoints.get(event.endpoint_id)
      if (!endpoint) continue
      active.occupy(endpoint.id)
      const since_ms = event.attempts === 0 ? event.created_at_ms : null
      begin({ endpoint, event, lease: lease.id, position: null, since_ms })
    }
  }

  function begin(leased: Leased): void {
    const attempted = attempt(leased).catch(error => {
      // Perhaps nothing was recorded, and the store has left the queue.
      active.queueOf(leased.endpoint.id).close()
      throw error
    })
    const work = attempted.finally(() => {
      active.release(leased.endpoint.id)
      if (isClosed) return
      leaseLater()
      if (leased.position === null) background.run(leaseEvents())
    })
    background.run(work)
  }

  const newLease = (): Lease => ({ id: randomId(), now_ms: now(), until_ms: now() + leaseFor })

  return {
    leaseStores,
    leaseEvents,
    /** Takes no more leases. */
    close(): void {
      isClosed = true
      clearTimeout(next)
    },
  }
}
