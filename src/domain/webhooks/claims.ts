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
export interface Claimed {
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

interface ClaimDeps {
  webhooks: Pick<Webhooks, 'active' | 'claim' | 'claimPending'>
  now(): number
  active: ActiveEndpoints
  due: Due
  background: Background
  notice(error: unknown): void
  attempt(claimed: Claimed): Promise<void>
}

/** Decides by leases which process sends an event, and begins its attempt. */
export function createClaims({ webhooks, now, active, due, background, notice, attempt }: ClaimDeps) {
  let isClosed = false
  let claiming: Promise<void> | null = null
  let isClaimDue = false
  let next: NodeJS.Timeout | undefined

  /** A call that comes during a claim makes the next one, so that a claim is of many stores. */
  function claimStores(): Promise<void> {
    isClaimDue = true
    claiming ??= claimAll()
    return claiming
  }

  async function claimAll(): Promise<void> {
    try {
      while (isClaimDue) {
        isClaimDue = false
        await claimReady()
      }
    } finally {
      claiming = null
    }
  }

  /** Begins attempts for stores that are ready, as far as there are free slots. */
  async function claimReady(): Promise<void> {
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
        due.lookAgain(store_id, lease.until_ms)
        // The slot is free for the next store of the queue.
        isClaimDue = true
      }
    }
  }

  /** Those that this process may send, by endpoint and store. */
  async function leaseAll(taken: readonly Taken[], history: string, lease: Lease) {
    const positions = await webhooks.claim(taken, history, lease)
    const endpoints = await current(positions)
    return new Map(
      positions.flatMap(position => {
        const { endpoint_id, store_id, seq } = position
        const endpoint = endpoints.get(endpoint_id)
        // Null when the app has lost its scopes since the claim.
        const event = endpoint ? storeChanged(endpoint, position, history, now()) : null
        return endpoint && event ? [[`${endpoint_id} ${store_id}`, { endpoint, event, seq }]] : []
      }),
    )
  }

  /** The endpoints as they are now: a new secret signs from this attempt on. */
  async function current(claimed: readonly { endpoint_id: string }[]): Promise<Map<string, ActiveEndpoint>> {
    const ids = new Set(claimed.map(({ endpoint_id }) => endpoint_id))
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

  /** Claims again when the next store is ready. */
  function planNext(): void {
    let at = Number.POSITIVE_INFINITY
    for (const endpoint of active.all()) {
      if (active.freeSlots(endpoint, now()) === 0) continue
      at = Math.min(at, active.queueOf(endpoint.id).nextReady() ?? at)
    }
    clearTimeout(next)
    if (Number.isFinite(at)) next = setTimeout(claimLater, Math.max(10, at - now()))
  }

  const claimLater = () => background.run(claimStores())

  /** Begins attempts for events of the outbox. */
  async function claimEvents(): Promise<void> {
    const ids = active.acceptingEvents()
    if (ids.length === 0 || isClosed) return
    const lease = newLease()
    const events = await webhooks.claimPending(ids, lease, maxEvents)
    const endpoints = await current(events)
    for (const event of events) {
      const endpoint = endpoints.get(event.endpoint_id)
      if (!endpoint) continue
      active.occupy(endpoint.id)
      const since_ms = event.attempts === 0 ? event.created_at_ms : null
      begin({ endpoint, event, lease: lease.id, position: null, since_ms })
    }
  }

  function begin(claimed: Claimed): void {
    const attempted = attempt(claimed).catch(error => {
      // Perhaps nothing was recorded, and the store has left the queue.
      active.queueOf(claimed.endpoint.id).close()
      throw error
    })
    const work = attempted.finally(() => {
      active.release(claimed.endpoint.id)
      if (isClosed) return
      claimLater()
      if (claimed.position === null) background.run(claimEvents())
    })
    background.run(work)
  }

  const newLease = (): Lease => ({ id: randomId(), now_ms: now(), until_ms: now() + leaseFor })

  return {
    claimStores,
    claimEvents,
    /** Claims nothing more. */
    close(): void {
      isClosed = true
      clearTimeout(next)
    },
  }
}
