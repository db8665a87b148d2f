import type { OrderField, Storage } from '../../storage/port/index.ts'
import { checkStore, type Reader } from './access.ts'
import { firstRows, type Listing, offsetOf, pageOf, type PageStart } from './page.ts'
import type { Window } from './window.ts'

export interface OrdersRequest extends Window, PageStart {
  store_id: bigint
  date_field: OrderField
}

export function createOrderList({ orders }: Pick<Storage, 'orders'>) {
  return async ({ claim }: Reader, request: OrdersRequest, known: number | null): Promise<Listing> => {
    const { store_id, date_field: field, start_date: from, end_date: to, count, behind } = request
    const query = { store_id, field, from, to }
    const { facts, chunk, end, version } = await orders.page({
      claim,
      query,
      offset: offsetOf(request),
      behind,
      limit: firstRows(count),
      count,
      unless_version: known,
    })
    checkStore(facts, store_id, 'integration.order')
    if (chunk === null) return { version, page: null }
    const page = pageOf(chunk, count, end, {
      more: (after, limit) => orders.more({ claim, query, after, limit }),
      check: now => void checkStore(now, store_id, 'integration.order'),
    })
    return { version, page }
  }
}
