import { type ChangeKind, changeKinds, type Storage, type StoreFacts } from '../../storage/port/index.ts'
import type { Scope } from '../../contract/scopes.ts'
import { checkStore, type Principal } from './access.ts'
import { checkAfter, checkFeed, feedOf } from './feed.ts'
import { firstRows, type Page, pageOf } from './page.ts'

export interface ChangesRequest {
  store_id: bigint
  after: number
  feed?: string | undefined
  count: number
  kinds: readonly ChangeKind[]
}

/** The entries of a page with what stands around them in the answer. */
export interface ChangesPage extends Page {
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

/** The newest seq of a store's entities of these kinds. */
export const newestOf = (
  { orders_version, items_version }: Pick<StoreFacts, 'orders_version' | 'items_version'>,
  kinds: readonly ChangeKind[],
): number => Math.max(...kinds.map(kind => (kind === 'order' ? orders_version : items_version)))

export function createChangesList({ changes }: Pick<Storage, 'changes'>) {
  return async ({ claim }: Principal, request: ChangesRequest): Promise<ChangesPage> => {
    const { store_id, after, feed, count, kinds } = request
    const query = { store_id, after, kinds }
    const first = await changes.page({ claim, query, limit: firstRows(count), count })
    const { seq: newest } = checkStore(first.facts, store_id)
    if (feed !== undefined) checkFeed(feed, first.history, kinds)
    checkAfter(after, newest)
    if (first.chunk === null) throw new Error('the storage returned no changes for a store that may be read')
    let last = first.chunk.last_seq
    const read = pageOf(first.chunk, count, null, {
      async more(behind, limit) {
        const chunk = await changes.more({ claim, query, after: behind, limit })
        last = chunk.last_seq ?? last
        page.orders += chunk.orders
        return chunk
      },
      check: now => void checkStore(now, store_id),
    })
    const page: ChangesPage = Object.assign(read, {
      orders: first.chunk.orders,
      feed: feedOf(first.history, kinds),
      newest,
      position() {
        const more = page.rows === count && last !== null && last < newest
        return { next: more ? (last as number) : newest, more }
      },
    })
    return page
  }
}
