import type { OrderField, Orders } from '../../port/index.ts'
import type { List } from './list.ts'
import type { ListShape } from './list-sql.ts'

export function createOrders(list: (shape: ListShape) => List): Orders {
  const by = (field: OrderField) => list({ table: 'orders', order: [field, 'id'], version: 'orders_version' })
  const lists: Record<OrderField, List> = {
    created_at: by('created_at'),
    updated_at: by('updated_at'),
    paid_at: by('paid_at'),
  }

  return {
    page(claim, { store_id, field, from, to }, offset, limit, unless_version, total) {
      const read = { offset, limit: Math.min(limit, total ?? limit), unless_version, total, settled: true }
      // No id comes before the empty text.
      return lists[field].page(claim, store_id, { from: [from, ''], to }, read)
    },
    more: ({ store_id, field, to }, after, limit, claim) =>
      lists[field].more(store_id, { after, to }, limit, claim),
  }
}
