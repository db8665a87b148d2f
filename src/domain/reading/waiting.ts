import { LRUCache } from 'lru-cache'
import { fail } from '../../errors.ts'
import { isStorageFault } from '../storage-fault.ts'
import { checkAllowed, checkToken, covers } from './access.ts'
import { newestOf, scopesOf } from './changes.ts'
import type {
  AccessClaim,
  ChangeKind,
  SequenceMove,
  Storage,
  StoreFacts,
  WaitingAccess,
  WaitingRead,
} from '../../storage/port/index.ts'

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

/** A request that waits for a change. There may be thousands, so it has few objects and one function. */
interface Waiter {
  claim: AccessClaim
  /** Ends the wait, once: by a change at `woken_at`, or without one; with an error, the request fails with it. */
  end(woken_at?: number | null, error?: unknown): void
}

interface StoreWaiter extends Waiter {
  store_id: bigint
  /** What the request reads. */
  kinds: readonly ChangeKind[]
  above: number
}

interface ListWaiter extends Waiter {
  list: WaitingList
}

type Versions = Pick<StoreFacts, 'orders_version' | 'items_version'>

/** A list that a request waits for. */
interface WaitingList {
  /** Requests of one token for one list share a question. */
  key: string
  /** The list's version that the client knows. */
  known: string
  /** The current version; throws when access has ended. */
  read(): Promise<string>
  /** Whether a change that this process has stored is one of the list. */
  isDueAfter(move: SequenceMove): boolean
}

/**
 * Requests that wait for changes. A waiting request holds no thread and no database connection: one timer asks the
 * database for all of them. A change that this process stores ends the wait at once.
 */
export function createWaiting({ storage, limit, notice = () => {} }: WaitingDeps) {
  const ofStore = new Map<bigint, Set<StoreWaiter>>()
  /** The lowest `above` of the requests for a store. */
  const lowest = new Map<bigint, number>()
  const ofLists = new Set<ListWaiter>()
  /** Those that came since the last question: something may have been stored between their read and their wait. */
  const unasked = {
    stores: new Set<StoreWaiter>(),
    access: new Set<StoreWaiter>(),
    lists: new Set<ListWaiter>(),
  }
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

  const stores = {
    add(waiter: StoreWaiter): void {
      const { store_id, above } = waiter
      const set = ofStore.get(store_id) ?? new Set()
      ofStore.set(store_id, set.add(waiter))
      lowest.set(store_id, Math.min(above, lowest.get(store_id) ?? above))
      unasked.stores.add(waiter)
      unasked.access.add(waiter)
    },
    remove(waiter: StoreWaiter): void {
      const { store_id } = waiter
      unasked.stores.delete(waiter)
      unasked.access.delete(waiter)
      const set = ofStore.get(store_id)
      set?.delete(waiter)
      if (set?.size === 0) {
        ofStore.delete(store_id)
        lowest.delete(store_id)
      }
    },
  }

  const lists = {
    add(waiter: ListWaiter): void {
      ofLists.add(waiter)
      unasked.lists.add(waiter)
    },
    remove(waiter: ListWaiter): void {
      ofLists.delete(waiter)
      unasked.lists.delete(waiter)
    },
  }

  function allOfStores(): StoreWaiter[] {
    const all: StoreWaiter[] = []
    for (const set of ofStore.values()) all.push(...set)
    return all
  }

  function wakeThoseOf(store_id: bigint, store: Versions): void {
    for (const waiter of ofStore.get(store_id) ?? []) {
      if (newestOf(store, waiter.kinds) > waiter.above) waiter.end(performance.now())
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
        const access = isAccess ? askForAccess(state === null || state !== asked.access) : null
        const isChanged = state === null || state !== asked.changes
        await Promise.all([access, askForStores(isChanged), askForLists(isChanged)])
        asked = { changes: state, access: isAccess ? state : asked.access }
      } catch (error) {
        asked = { changes: null, access: null }
        notice(error)
      }
    } while (isAccessDue)
    isAsking = false
  }

  async function askForStores(isChanged: boolean): Promise<void> {
    const known = isChanged
      ? lowest
      : new Map(
          Array.from(unasked.stores, ({ store_id, above }) => [store_id, lowest.get(store_id) ?? above]),
        )
    unasked.stores.clear()
    for (const store of await storage.changes.moved(known)) wakeThoseOf(store.id, store)
  }

  async function askForAccess(isChanged: boolean): Promise<void> {
    const of = isChanged ? allOfStores() : [...unasked.access]
    unasked.access.clear()
    for (const part of partsOf(of)) {
      const found = await storage.changes.access(part)
      for (const [i, { waiters }] of part.entries()) checkAccess(waiters, found[i] as WaitingAccess)
    }
  }

  function checkAccess(waiters: readonly StoreWaiter[], { token, allowed }: WaitingAccess): void {
    for (const waiter of waiters) {
      const { store_id, kinds } = waiter
      const scopes = scopesOf(kinds)
      const scope = allowed.get(store_id) ?? null
      const ended = failureOf(() => {
        checkToken(token, scopes)
        checkAllowed(scope, store_id, scopes)
      })
      if (ended !== null) waiter.end(null, ended)
      // A part of it has ended: the request reads again, and decides.
      else if (!scopes.every(each => covers(token.app_scope, each) && covers(scope ?? '', each)))
        waiter.end(performance.now())
    }
  }

  /** One list after the other: each takes a database connection, or the event loop. */
  async function askForLists(isChanged: boolean): Promise<void> {
    const of = isChanged ? [...ofLists] : [...unasked.lists]
    unasked.lists.clear()
    let fault: unknown = null
    for (const waiters of Map.groupBy(of, ({ list }) => list.key).values()) {
      const [{ list }] = waiters as [ListWaiter]
      try {
        const version = await list.read()
        for (const waiter of waiters) if (waiter.list.known !== version) waiter.end(performance.now())
      } catch (error) {
        // The next tick asks again, as for stores; meanwhile the other lists have their turn.
        if (isStorageFault(error)) fault = error
        else for (const waiter of waiters) waiter.end(null, error)
      }
      await new Promise(setImmediate)
    }
    if (fault !== null) throw fault
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
        wakeThoseOf(move.store_id, versionsAfter(move))
        for (const waiter of ofLists) if (waiter.list.isDueAfter(move)) waiter.end(performance.now())
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
      for (const waiter of [...allOfStores(), ...ofLists])
        setTimeout(waiter.end, Math.random() * closingSpread)
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>

interface WaitOptions {
  seconds: number
  client: WaitingClient
}

/** The client of a waiting request. Not an AbortSignal, which takes more memory than all else that waits. */
export interface WaitingClient {
  hasLeft: boolean
  /** Called when the client closes the connection. */
  leave(): void
  /** Milliseconds that its request has waited in all. */
  waited: number
  /** When a change ended the last wait, by `performance.now()`; null when something else did. */
  woken_at: number | null
}

/** Requests of one token. */
interface WaitingToken extends WaitingRead {
  waiters: readonly StoreWaiter[]
}

/**
 * A thousand requests at a time, so that a question is a small message and its answer is not kept long. By app: of two
 * apps in one question, the links of each to the stores of the other are read too.
 */
function* partsOf(waiters: readonly StoreWaiter[]): Generator<WaitingToken[]> {
  const sorted = waiters.toSorted(({ claim: a }, { claim: b }) =>
    a.app_id === b.app_id ? 0 : a.app_id < b.app_id ? -1 : 1,
  )
  for (let i = 0; i < sorted.length; i += 1000) {
    const ofTokens = Map.groupBy(sorted.slice(i, i + 1000), ({ claim }) => claim.jti)
    yield Array.from(ofTokens.values(), waiters => ({
      claim: (waiters[0] as StoreWaiter).claim,
      store_ids: waiters.map(({ store_id }) => store_id),
      waiters,
    }))
  }
}

const noop = (): void => {}

function failureOf(check: () => void): unknown {
  try {
    check()
  } catch (error) {
    return error
  }
  return null
}

const versionsAfter = ({ orders_seq, items_seq }: SequenceMove): Versions => ({
  orders_version: orders_seq ?? 0,
  items_version: items_seq ?? 0,
})

const tooMany = (limit: number) =>
  fail('rate_limited', `This app has ${limit} waiting requests already, the maximum`, {
    retry_after: 1,
  })
