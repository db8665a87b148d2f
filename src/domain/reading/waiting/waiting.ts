import { LRUCache } from 'lru-cache'
import { fail } from '../../../errors.ts'
import type { SequenceMove, Storage } from '../../../storage/port/index.ts'
import { newestOf } from '../changes.ts'
import { createListWaiters, type ListWaiter } from './list-waiters.ts'
import { createStoreWaiters, type StoreWaiter, versionsAfter } from './store-waiters.ts'
import type { Waiter, WaitingClient } from './waiter.ts'

/**
 * Milliseconds between two questions to the database, for changes that other processes and nodes store. Every second one
 * is about access too: a revocation at another node ends a wait within a second.
 */
const tickEvery = 450

/** Milliseconds over which waiting requests end when the server closes, so that clients do not all return at once. */
const closingSpread = 1000

export interface WaitingDeps {
  storage: Pick<Storage, 'changes'>
  /** Requests of one app that may wait in this process. */
  limit: number
  /** Called when a question to the database fails; the next tick asks again. */
  notice?(error: unknown): void
}

interface WaitOptions {
  seconds: number
  client: WaitingClient
}

/**
 * Requests that wait for changes. A waiting request holds no thread and no database connection: one timer asks the
 * database for all of them. A change that this process stores ends the wait at once.
 */
export function createWaiting({ storage, limit, notice = () => {} }: WaitingDeps) {
  const stores = createStoreWaiters(storage)
  const lists = createListWaiters()
  const ofApp = new Map<string, number>()
  /** A change may be stored between the read that finds nothing and the wait. */
  const recent = new LRUCache<bigint, SequenceMove>({ max: 1000 })
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let isAsking = false
  let isAccessDue = false
  /** The database's state at the last questions, if it can tell: nothing has to be asked again before it changes. */
  let asked: { changes: string | null; access: string | null } = { changes: null, access: null }
  let closed = false
  let tick = 0

  /**
   * Keeps the waiter until it ends: by a change, by `seconds`, by its client or when the server closes. Resolves with the
   * time when a change ended it, by `performance.now()`, and with null when something else did. Not an async function: the
   * frames that wait would be a quarter of what a request holds.
   */
  function hold<W extends Waiter>(
    { seconds, client }: WaitOptions,
    fields: Omit<W, 'end'>,
    { add, remove }: { add(waiter: W): void; remove(waiter: W): void },
  ): Promise<number | null> {
    const { app_id } = fields.claim
    const held = ofApp.get(app_id) ?? 0
    if (held >= limit) throw tooMany(limit)
    // Not of an earlier wait of the same request.
    client.woken_at = null
    if (closed || client.hasLeft) return Promise.resolve(null)
    ofApp.set(app_id, held + 1)
    waiting++
    timer ??= setInterval(onTick, tickEvery).unref()
    return new Promise((resolve, reject) => {
      const began = performance.now()
      let isOver = false
      const waiter = Object.assign(fields, { end }) as W
      const timeout = setTimeout(end, seconds * 1000)
      client.leave = end
      add(waiter)

      function end(woken_at: number | null = null, error?: unknown): void {
        if (isOver) return
        isOver = true
        clearTimeout(timeout)
        client.leave = noop
        client.waited += performance.now() - began
        client.woken_at = woken_at
        remove(waiter)
        release(app_id)
        if (error === undefined) resolve(woken_at)
        else reject(error as Error)
      }
    })
  }

  function release(app_id: string): void {
    waiting--
    const left = (ofApp.get(app_id) ?? 1) - 1
    if (left === 0) ofApp.delete(app_id)
    else ofApp.set(app_id, left)
    if (waiting === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }

  function onTick(): void {
    tick++
    const withAccess = tick % 2 === 0
    if (!isAsking) void ask(withAccess)
    // Questions that take longer than a tick must not always be those without access.
    else if (withAccess) isAccessDue = true
  }

  /** Asks the database about every waiting request, and again when access is due meanwhile. */
  async function ask(withAccess: boolean): Promise<void> {
    isAsking = true
    isAccessDue = withAccess
    do {
      const isAccess = isAccessDue
      isAccessDue = false
      try {
        const state = await storage.changes.state()
        const access = isAccess ? stores.askForAccess(state === null || state !== asked.access) : null
        const isChanged = state === null || state !== asked.changes
        await Promise.all([access, stores.askForChanges(isChanged), lists.ask(isChanged)])
        asked = { changes: state, access: isAccess ? state : asked.access }
      } catch (error) {
        asked = { changes: null, access: null }
        notice(error)
      }
    } while (isAccessDue)
    isAsking = false
  }

  return {
    get size() {
      return waiting
    },
    /** Resolves when the store has a change of these kinds above `above`, or when the wait is over. */
    forStore(
      { claim, store_id, kinds, above }: Omit<StoreWaiter, 'end'>,
      options: WaitOptions,
    ): Promise<number | null> {
      const known = recent.get(store_id)
      if (known && newestOf(versionsAfter(known), kinds) > above) {
        // Once: a failover may have lost the change, and the request would read and come back here without end.
        recent.delete(store_id)
        options.client.woken_at = performance.now()
        return Promise.resolve(options.client.woken_at)
      }
      return hold<StoreWaiter>(options, { claim, store_id, kinds, above }, stores)
    },
    /** Resolves when the list has changed, or when the wait is over. */
    forList({ claim, list }: Omit<ListWaiter, 'end'>, options: WaitOptions): Promise<number | null> {
      return hold<ListWaiter>(options, { claim, list }, lists)
    },
    /** Called with the changes that this process has stored. */
    moved(moves: readonly SequenceMove[]): void {
      for (const move of moves) {
        const { orders_seq = null, items_seq = null } = recent.get(move.store_id) ?? {}
        recent.set(move.store_id, {
          ...move,
          orders_seq: move.orders_seq ?? orders_seq,
          items_seq: move.items_seq ?? items_seq,
        })
        stores.wake(move.store_id, versionsAfter(move))
        lists.wake(move)
      }
    },
    /** Asks at once: this process has changed what some token may read. */
    accessChanged(): void {
      if (isAsking) isAccessDue = true
      else if (waiting > 0) void ask(true)
    },
    /** Ends every wait within a second. */
    close(): void {
      closed = true
      for (const waiter of [...stores.all(), ...lists.all])
        setTimeout(waiter.end, Math.random() * closingSpread)
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>

const noop = (): void => {}

const tooMany = (limit: number) =>
  fail('rate_limited', `This app has ${limit} waiting requests already, the maximum`, {
    retry_after: 1,
  })
