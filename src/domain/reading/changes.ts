import {
  type AccessFacts,
  type ChangeKind,
  changeKinds,
  type Storage,
  type StoreFacts,
} from '../../storage/port/index.ts'
import type { Scope } from '../../contract/scopes.ts'
import { checkStore, covers, type Principal } from './access.ts'
import { checkAfter, checkFeed, feedOf } from './feed.ts'
import { firstRows, type Page, pageOf } from './page.ts'

export interface ChangesRequest {
  store_id: bigint
  after: number
  feed?: string | undefined
  count: number
  /** Those that the request names; without any, all that may be read. */
  kinds?: readonly ChangeKind[] | undefined
}

/** The entries of a page and the other fields of the response. */
export interface ChangesPage extends Page {
  kinds: readonly ChangeKind[]
  feed: string
  /** The store's newest seq when the page was read. */
  newest: number
  /** How many of the entries read so far are orders. */
  orders: number
  /** Where to go on; known when all entries were read. */
  position(): { next: number; more: boolean }
}

export const scopeOfKind: Record<ChangeKind, Scope> = {
  order: 'integration.order',
  item: 'integration.inventory',
}

/** The kinds that a token may follow. */
export const kindsOf = ({ scopes }: Principal): ChangeKind[] =>
  changeKinds.filter(kind => scopes.has(scopeOfKind[kind]))

/** Of at least one kind. */
export const scopesOf = (kinds: readonly ChangeKind[]): readonly [Scope, ...Scope[]] =>
  kinds.map(kind => scopeOfKind[kind]) as [Scope, ...Scope[]]

/** Of these, the kinds that may be read of the store: the app and the merchant's consent have their scopes too. */
export const readableKinds = (
  principal: Principal,
  { app_scope, store_scope }: Pick<AccessFacts, 'app_scope' | 'store_scope'>,
): ChangeKind[] =>
  kindsOf(principal).filter(kind => {
    const scope = scopeOfKind[kind]
    return covers(app_scope, scope) && covers(store_scope, scope)
  })

/** The newest seq of a store's entities of these kinds. */
export const newestOf = (
  { orders_version, items_version }: Pick<StoreFacts, 'orders_version' | 'items_version'>,
  kinds: readonly ChangeKind[],
): number => Math.max(...kinds.map(kind => (kind === 'order' ? orders_version : items_version)))

export function createChangesList({ changes }: Pick<Storage, 'changes'>) {
  /** Every kind must be readable. */
  const check = (facts: AccessFacts, store_id: bigint, kinds: readonly ChangeKind[]): StoreFacts => {
    const [store] = scopesOf(kinds).map(scope => checkStore(facts, store_id, scope))
    return store as StoreFacts
  }

  return async (principal: Principal, request: ChangesRequest): Promise<ChangesPage> => {
    const { claim } = principal
    const { store_id, after, feed, count } = request
    const read = (kinds: readonly ChangeKind[]) =>
      changes.page({ claim, query: { store_id, after, kinds }, limit: firstRows(count), count })
    let kinds = request.kinds ?? kindsOf(principal)
    let first = await read(kinds)
    if (request.kinds === undefined) {
      const readable = readableKinds(principal, first.facts)
      // Rarely: the merchant has not allowed a scope that the app got later.
      if (readable.length > 0 && readable.length < kinds.length) {
        kinds = readable
        first = await read(kinds)
      }
    }
    const query = { store_id, after, kinds }
    const { seq: newest } = check(first.facts, store_id, kinds)
    if (feed !== undefined) checkFeed(feed, first.history, kinds)
    checkAfter(after, newest)
    const { history, chunk } = first
    if (chunk === null) throw new Error('the storage returned no changes for a store that may be read')
    const fields = { kinds, feed: feedOf(history, kinds), newest }
    if (chunk.rows === 0) return emptyPage(fields)
    let last = chunk.last_seq
    const entries = pageOf(chunk, count, null, {
      more: (behind, limit) => changes.more({ claim, query, after: behind, limit }),
      check: now => void check(now, store_id, kinds),
      add({ last_seq, orders }) {
        last = last_seq ?? last
        page.orders += orders
      },
    })
    const page: ChangesPage = Object.assign(entries, {
      ...fields,
      orders: chunk.orders,
      position() {
        const more = page.rows === count && last !== null && last < newest
        return { next: more ? (last as number) : newest, more }
      },
    })
    return page
  }
}

type Fields = Pick<ChangesPage, 'kinds' | 'feed' | 'newest'>

/** Keeps nothing of its read: thousands of waiting requests have one each. */
const emptyPage = (fields: Fields): ChangesPage => ({
  first: [],
  rest: null,
  rows: 0,
  end: null,
  orders: 0,
  ...fields,
  position: () => ({ next: fields.newest, more: false }),
})
