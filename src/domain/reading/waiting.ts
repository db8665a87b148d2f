import { LRUCache } from 'lru-cache'
import { fail } from '../../errors.ts'
import type { AccessClaim, AccessFacts, SequenceMove, Storage } from '../../storage/port/index.ts'

/** Milliseconds between two questions to the database, for changes that other processes and nodes store. */
const tickEvery = 500

/** Milliseconds over which waiting requests end when the server closes, so that clients do not all return at once. */
const closingSpread = 1000

export interface WaitingDeps {
  storage: Pick<Storage, 'changes'>
  /** Requests of one app that may wait in this process. */
  limit: number
  /** Called when a question to the database fails; the next tick asks again. */
  notice?(error: unknown): void
}

/** A request that waits for a change. */
interface Waiter {
  claim: AccessClaim
  /** Ends the wait; with an error, the request fails with it. */
  end(error?: unknown): void
  /** Ends the wait because the server closes. */
  close(): void
}

interface StoreWaiter extends Waiter {
  store_id: bigint
  isDue(store: NonNullable<AccessFacts['store']>): boolean
  isDueAfter(move: SequenceMove): boolean
  check(facts: AccessFacts): void
}

interface ListWaiter extends Waiter {
  /** Whether the list has changed; throws when access has ended. */
  hasChanged(): Promise<boolean>
}

/**
 * Requests that wait for changes. A waiting request holds no thread and no database connection: one timer asks the
 * database for all of them. A change that this process stores ends the wait at once.
 */
export function createWaiting({ storage, limit, notice = () => {} }: WaitingDeps) {
  const ofStore = new Map<bigint, Set<StoreWaiter>>()
  const ofLists = new Set<ListWaiter>()
  const ofApp = new Map<string, number>()
  /** A change may be stored between the read that finds nothing and the wait. */
  const recent = new LRUCache<bigint, SequenceMove>({ max: 1000 })
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void> | null = null
  let askAgain = false
  let closed = false

  /** Keeps the waiter until it ends, by `seconds`, by `signal` or by its own condition. False: the server closes. */
  async function hold<W extends Waiter>(
    { claim, seconds, signal }: WaitOptions,
    create: (ends: Pick<Waiter, 'end' | 'close'>) => W,
    add: (waiter: W) => void,
    remove: (waiter: W) => void,
  ): Promise<boolean> {
    const { app_id } = claim
    const held = ofApp.get(app_id) ?? 0
    if (held >= limit) throw tooMany(limit)
    if (closed || signal.aborted) return false
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const end = (error?: unknown) => (error === undefined ? resolve(true) : reject(error as Error))
    const stop = () => end()
    const waiter = create({ end, close: () => resolve(false) })
    const timeout = setTimeout(stop, seconds * 1000)
    signal.addEventListener('abort', stop, { once: true })
    ofApp.set(app_id, held + 1)
    waiting++
    add(waiter)
    timer ??= setInterval(() => void ask(), tickEvery).unref()
    try {
      return await promise
    } finally {
      clearTimeout(timeout)
      signal.removeEventListener('abort', stop)
      remove(waiter)
      waiting--
      const left = (ofApp.get(app_id) ?? 1) - 1
      if (left === 0) ofApp.delete(app_id)
      else ofApp.set(app_id, left)
      if (waiting === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }

  /** Asks the database about every waiting request; a second call meanwhile asks once more afterwards. */
  function ask(): Promise<void> {
    askAgain = asking !== null
    asking ??= (async () => {
      do {
        askAgain = false
        await Promise.all([askForStores(), askForLists()]).catch(notice)
      } while (askAgain)
      asking = null
    })()
    return asking
  }

  async function askForStores(): Promise<void> {
    const waiters = [...ofStore.values()].flatMap(set => [...set])
    if (waiters.length === 0) return
    // Requests of one token for one store share a question.
    const questions = new Map<string, { claim: AccessClaim; store_id: bigint; waiters: StoreWaiter[] }>()
    for (const waiter of waiters) {
      const key = `${waiter.claim.jti} ${waiter.store_id}`
      const question = questions.get(key)
      if (question) question.waiters.push(waiter)
      else questions.set(key, { claim: waiter.claim, store_id: waiter.store_id, waiters: [waiter] })
    }
    const all = [...questions.values()]
    const facts = await storage.changes.watch(all)
    all.forEach((question, i) => {
      for (const waiter of question.waiters) decide(waiter, facts[i] as AccessFacts)
    })
  }

  function decide(waiter: StoreWaiter, facts: AccessFacts): void {
    try {
      waiter.check(facts)
    } catch (error) {
      return waiter.end(error)
    }
    if (facts.store && waiter.isDue(facts.store)) waiter.end()
  }

  async function askForLists(): Promise<void> {
    const ended = [...ofLists].map(waiter =>
      waiter.hasChanged().then(changed => changed && waiter.end(), waiter.end),
    )
    await Promise.all(ended)
  }

  return {
    get size() {
      return waiting
    },
    /** Resolves when the store's newest seq of interest is above `above`, when the time is over, or (false) at the end. */
    async forStore(
      options: WaitOptions & {
        store_id: bigint
        above: number
        newest(store: NonNullable<AccessFacts['store']>): number
        newestAfter(move: SequenceMove): number | null
        check(facts: AccessFacts): void
      },
    ): Promise<boolean> {
      const { claim, store_id, above, newest, newestAfter, check } = options
      const known = recent.get(store_id)
      if (known && (newestAfter(known) ?? 0) > above) return true
      return hold<StoreWaiter>(
        options,
        ends => ({
          ...ends,
          claim,
          store_id,
          check,
          isDue: store => newest(store) > above,
          isDueAfter: move => (newestAfter(move) ?? 0) > above,
        }),
        waiter => {
          const set = ofStore.get(store_id) ?? new Set()
          ofStore.set(store_id, set.add(waiter))
        },
        waiter => {
          const set = ofStore.get(store_id)
          set?.delete(waiter)
          if (set?.size === 0) ofStore.delete(store_id)
        },
      )
    },
    /** Resolves when `hasChanged` says so, when the time is over, or (false) when the server closes. */
    async forList(options: WaitOptions & { hasChanged(): Promise<boolean> }): Promise<boolean> {
      const { claim, hasChanged } = options
      return hold<ListWaiter>(
        options,
        ends => ({ ...ends, claim, hasChanged }),
        waiter => void ofLists.add(waiter),
        waiter => void ofLists.delete(waiter),
      )
    },
    /** Tells of changes that this process has stored. */
    moved(moves: readonly SequenceMove[]): void {
      for (const move of moves) {
        const { orders_seq = null, items_seq = null } = recent.get(move.store_id) ?? {}
        recent.set(move.store_id, {
          ...move,
          orders_seq: move.orders_seq ?? orders_seq,
          items_seq: move.items_seq ?? items_seq,
        })
        for (const waiter of ofStore.get(move.store_id) ?? []) if (waiter.isDueAfter(move)) waiter.end()
      }
      if (moves.length > 0 && ofLists.size > 0) void ask()
    },
    /** Asks at once: this process has changed what some token may read. */
    accessChanged(): void {
      if (waiting > 0) void ask()
    },
    /** Ends every wait within a second. */
    close(): void {
      closed = true
      const all = [...[...ofStore.values()].flatMap(set => [...set]), ...ofLists]
      for (const waiter of all) setTimeout(waiter.close, Math.random() * closingSpread)
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>

interface WaitOptions {
  claim: AccessClaim
  seconds: number
  /** Aborted when the client closes the connection. */
  signal: AbortSignal
}

const tooMany = (limit: number) =>
  fail('rate_limited', `This app has ${limit} waiting requests already, the maximum`, {
    headers: { 'retry-after': '1' },
  })
