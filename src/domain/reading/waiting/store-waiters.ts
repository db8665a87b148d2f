import type {
  ChangeKind,
  SequenceMove,
  Storage,
  StoreFacts,
  WaitingAccess,
  WaitingRead,
} from '../../../storage/port/index.ts'
import { checkAllowed, checkToken, covers } from '../access.ts'
import { newestOf, scopesOf } from '../changes.ts'
import type { Waiter } from './waiter.ts'

/** A request that waits for a change of one store. */
export interface StoreWaiter extends Waiter {
  store_id: bigint
  /** What the request reads. */
  kinds: readonly ChangeKind[]
  above: number
}

type Versions = Pick<StoreFacts, 'orders_version' | 'items_version'>

export function createStoreWaiters({ changes }: Pick<Storage, 'changes'>) {
  const ofStore = new Map<bigint, Set<StoreWaiter>>()
  /** The lowest `above` of the requests for a store. */
  const lowest = new Map<bigint, number>()
  /** Those that came since the last question: something may have been stored between their read and their wait. */
  const unasked = { changes: new Set<StoreWaiter>(), access: new Set<StoreWaiter>() }

  function all(): StoreWaiter[] {
    const found: StoreWaiter[] = []
    for (const set of ofStore.values()) found.push(...set)
    return found
  }

  function wake(store_id: bigint, store: Versions): void {
    for (const waiter of ofStore.get(store_id) ?? []) {
      if (newestOf(store, waiter.kinds) > waiter.above) waiter.end(performance.now())
    }
  }

  return {
    all,
    wake,
    add(waiter: StoreWaiter): void {
      const { store_id, above } = waiter
      const set = ofStore.get(store_id) ?? new Set()
      ofStore.set(store_id, set.add(waiter))
      lowest.set(store_id, Math.min(above, lowest.get(store_id) ?? above))
      unasked.changes.add(waiter)
      unasked.access.add(waiter)
    },
    remove(waiter: StoreWaiter): void {
      const { store_id } = waiter
      unasked.changes.delete(waiter)
      unasked.access.delete(waiter)
      const set = ofStore.get(store_id)
      set?.delete(waiter)
      if (set?.size === 0) {
        ofStore.delete(store_id)
        lowest.delete(store_id)
      }
    },
    /** Asks which stores have changed: about all of them, or those of new requests only. */
    async askForChanges(isChanged: boolean): Promise<void> {
      const known = isChanged
        ? lowest
        : new Map(
            Array.from(unasked.changes, ({ store_id, above }) => [store_id, lowest.get(store_id) ?? above]),
          )
      unasked.changes.clear()
      for (const store of await changes.moved(known)) wake(store.id, store)
    },
    /** Asks whether the requests, or the new ones only, may still read what they wait for. */
    async askForAccess(isChanged: boolean): Promise<void> {
      const of = isChanged ? all() : [...unasked.access]
      unasked.access.clear()
      for (const part of partsOf(of)) {
        const found = await changes.access(part)
        for (const [i, { waiters }] of part.entries()) checkAccess(waiters, found[i] as WaitingAccess)
      }
    },
  }
}

export const versionsAfter = ({ orders_seq, items_seq }: SequenceMove): Versions => ({
  orders_version: orders_seq ?? 0,
  items_version: items_seq ?? 0,
})

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

function failureOf(check: () => void): unknown {
  try {
    check()
  } catch (error) {
    return error
  }
  return null
}
