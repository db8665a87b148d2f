import { maxOrderCount } from '../../contract/paging.ts'
import { roundQuantity } from '../../lib/decimal.ts'
import { type Sold, sumByItem } from '../../lib/sold.ts'
import type { Storage } from '../../storage/port/index.ts'
import { checkStore, type Reader } from './access.ts'
import { type Listing, offsetOf } from './page.ts'
import { cover } from './sales-buckets.ts'
import type { Window } from './window.ts'

export interface SalesRequest extends Window {
  store_id: bigint
  index: number
  count: number
}

/** Spec 4.5: how many of each item were sold, from sums that every write keeps up to date. */
export function createSalesList(storage: Pick<Storage, 'sales'>) {
  return async ({ claim }: Reader, request: SalesRequest, known: number | null): Promise<Listing> => {
    const { store_id, start_date, end_date, count } = request
    const query = { store_id, ...cover(start_date, end_date) }
    const { facts, sold } = await storage.sales.sum({ claim, query, unless_version: known })
    const { orders_version: version } = checkStore(facts, store_id, 'integration.inventory')
    if (sold === null) return { version, page: null }
    const offset = offsetOf(request)
    const entries = listed(sold).slice(offset, offset + count)
    const first = [Buffer.from(entries.map(render).join(','))]
    const rows = entries.length
    const last = rows === count && count <= maxOrderCount ? entries.at(-1) : undefined
    return { version, page: { first, rest: null, rows, end: last ? [last.item_id] : null } }
  }
}

/** Each item once, by id. An item whose orders were all refunded is not listed. */
const listed = (sold: readonly Sold[]): Sold[] =>
  sumByItem(sold)
    .filter(({ lines }) => lines !== 0n)
    .sort((a, b) => (a.item_id < b.item_id ? -1 : 1))

const render = (item: Sold): string => `{"item_id":${item.item_id},"count":${roundQuantity(item)}}`
