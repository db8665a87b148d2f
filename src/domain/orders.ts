import type { OrderField, Storage } from '../storage/port.ts'
import { checkStore, type Principal } from './access.ts'
import { firstRows, type Listing, offsetOf, pageOf } from './page.ts'
import type { Window } from './window.ts'

export interface OrdersRequest extends Window {
  store_id: bigint
  date_field: OrderField
  index: number
  count: number
}

export function createOrderList(storage: Storage) {
  return async (principal: Principal, request: OrdersRequest, known: number | null): Promise<Listing> => {
    const { store_id, date_field: field, start_date: from, end_date: to, count } = request
    const query = { store_id, field, from, to }
    // Any of its times may be corrected by the platform, so no order is sure to keep its place.
    const limit = firstRows(count, 'moving')
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
