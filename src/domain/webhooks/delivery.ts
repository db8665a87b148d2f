import { type Clock, millisecondsOf } from '../../lib/clock.ts'
import type { SequenceMove, Storage } from '../../storage/port/index.ts'
import { ActiveEndpoints } from './active-endpoints.ts'
import { createAttempt, type DeliveryObserver } from './attempt.ts'
import { Background } from './background.ts'
import { createLeases } from './leases.ts'
import { createDue } from './due.ts'
import type { Send } from './send.ts'

const roundEvery = 1000
/** Changes that are stored within so many milliseconds are compared together. */
const gatherFor = 20

export interface DeliveryDeps {
  storage: Pick<Storage, 'webhooks' | 'changes'>
  clock: Clock
  send: Send
  /** Called when the database fails; the next round repeats what was to be done. */
  notice?(error: unknown): void
  observe?: DeliveryObserver
  /** Stores in the queue of one endpoint. */
  maxQueued?: number
}

/**
 * The loop that delivers webhooks: `due.ts` finds what is due by comparing positions in the database, so that nothing is
 * lost with a process; `leases.ts` takes the lease of it; `attempt.ts` sends it and records the answer.
 */
export function createDelivery(deps: DeliveryDeps) {
  const { storage, clock, send, notice = () => {}, observe, maxQueued = 500 } = deps
  const { webhooks } = storage
  const now = () => millisecondsOf(clock)
  const active = new ActiveEndpoints(maxQueued)
  const background = new Background(notice)
  const due = createDue({ storage, clock, active, maxQueued })
  const attempt = createAttempt({ webhooks, now, send, active, notice, observe, recovered })
  const leases = createLeases({ webhooks, now, active, due, background, notice, attempt })
  /** Stores that this process has changed, with the time of the first change. */
  const changed = new Map<bigint, number>()
  let gathering: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> | null = null
  let isClosed = false

  async function round(): Promise<void> {
    await due.find()
    await leases.leaseEvents()
    await leases.leaseStores()
  }

  /** One round now; resolves when its attempts have begun. */
  async function tick(): Promise<void> {
    if (isClosed) return
    ticking ??= round()
      .catch(notice)
      .finally(() => {
        ticking = null
      })
    return ticking
  }

  async function gather(): Promise<void> {
    gathering = undefined
    const since = new Map(changed)
    changed.clear()
    await due.compareStores(since)
    await leases.leaseStores()
  }

  /** One success makes everything due at once. */
  async function recovered(endpoint_id: string): Promise<void> {
    // If the comparison fails, the next round repeats it.
    active.queueOf(endpoint_id).close()
    await due.compareEndpoint(endpoint_id)
    await leases.leaseEvents()
  }

  return {
    start(): void {
      timer = setInterval(() => void tick(), roundEvery).unref()
      void tick()
    },
    tick,
    /** Changes that this process has stored. */
    moved(moves: readonly SequenceMove[]): void {
      if (active.size === 0 || isClosed) return
      for (const { store_id } of moves) if (!changed.has(store_id)) changed.set(store_id, now())
      gathering ??= setTimeout(() => background.run(gather()), gatherFor)
    },
    /** There may be a new event in the outbox, or a new endpoint. */
    wake(): void {
      if (timer !== undefined) void tick()
    },
    /** Begins nothing more, and waits for the attempts under way. */
    async close(): Promise<void> {
      isClosed = true
      leases.close()
      clearInterval(timer)
      clearTimeout(gathering)
      await ticking
      await background.idle()
    },
  }
}

export type Delivery = ReturnType<typeof createDelivery>
