import type { OrderField, Storage } from '../storage/port.ts'
import { checkStore, type Principal } from './access.ts'
import { firstRows, offsetOf, type Page, pageOf } from './page.ts'
import type { Window } from './window.ts'

export interface OrdersRequest extends Window {
  store_id: bigint
  date_field: OrderField
  index: number
  count: number
}

/** The answer to a list of one store: its data version, and the page unless the caller has that version already. */
export interface Listing {
  version: number
  page: Page | null
}

export function createOrderList(storage: Storage) {
  return async (principal: Principal, request: OrdersRequest, known: number | null): Promise<Listing> => {
    const { store_id, date_field: field, start_date: from, end_date: to, count } = request
    const query = { store_id, field, from, to }
    // Created once, an order keeps its place; updated or paid, it moves.
    const limit = firstRows(count, field === 'created_at' ? 'fixed' : 'moving')
    const { facts, chunk } = await storage.orders.page(
      principal.claim,
      query,
      offsetOf(request),
      limit,
      known,
    )
    const { orders_version: version } = checkStore(facts, store_id)
    const page = chunk && pageOf(chunk, count, (after, rows) => storage.orders.more(query, after, rows))
    return { version, page }
  }
}
