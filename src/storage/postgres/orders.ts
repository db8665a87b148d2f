import type { OrderField, Orders } from '../port.ts'
import type { List, ListShape } from './list.ts'

export function createOrders(list: (shape: ListShape) => List): Orders {
  const by = (field: OrderField) => list({ table: 'orders', order: [field, 'id'], version: 'orders_version' })
  const lists: Record<OrderField, List> = {
    created_at: by('created_at'),
    updated_at: by('updated_at'),
    paid_at: by('paid_at'),
  }

  return {
    // No id comes before the empty text.
    page: (claim, { store_id, field, from, to }, offset, limit, unless_version) =>
      lists[field].page(claim, store_id, { from: [from, ''], to }, { offset, limit, unless_version }),
    more: ({ store_id, field, to }, after, limit) => lists[field].more(store_id, { after, to }, limit),
  }
}
