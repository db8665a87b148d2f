import type { OrderField, Orders } from '../../port/index.ts'
import type { List } from './list.ts'
import type { ListShape } from './list-sql.ts'

export function createOrders(list: (shape: ListShape) => List): Orders {
  const by = (field: OrderField) =>
    list({
      table: 'orders',
      order: [field, 'id'],
      version: 'orders_version',
      by_day: field === 'created_at',
    })
  const lists: Record<OrderField, List> = {
    created_at: by('created_at'),
    updated_at: by('updated_at'),
    paid_at: by('paid_at'),
  }

  return {
    page({ query: { store_id, field, from, to }, ...read }) {
      const limit = Math.min(read.limit, read.count ?? read.limit)
      // No id sorts before the empty text.
      return lists[field].page({ ...read, store_id, from: [from, ''], to, limit, snapshot: true })
    },
    more: ({ query: { store_id, field, to }, ...read }) => lists[field].more({ ...read, store_id, to }),
  }
}
