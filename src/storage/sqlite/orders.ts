import type { OrderField, OrderQuery, Orders } from '../port.ts'
import { type Access, mayReadStore } from './access.ts'
import type { Database } from './database.ts'
import { createList, type List } from './list.ts'

export function createOrders(db: Database, access: Access): Orders {
  const within = (field: OrderField) => `where store_id = ? and ${field} <= ?`
  const lists: Record<OrderField, List> = {
    created_at: createList(db, {
      docs: `orders ${within('created_at')}`,
      keys: `orders indexed by orders_by_created ${within('created_at')}`,
      order: ['created_at', 'id'],
    }),
    updated_at: createList(db, {
      docs: `orders indexed by orders_by_updated ${within('updated_at')}`,
      order: ['updated_at', 'id'],
    }),
    paid_at: createList(db, {
      docs: `orders indexed by orders_by_paid ${within('paid_at')}`,
      order: ['paid_at', 'id'],
    }),
  }
  const scope = ({ store_id, to }: OrderQuery) => [store_id, to]

  return {
    page: (claim, query, offset, limit, unless_version) =>
      db.read(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts) || facts.store?.orders_version === unless_version)
          return { facts, chunk: null }
        // No id comes before the empty text.
        const chunk = lists[query.field].page(scope(query), [query.from, ''], offset, limit)
        return { facts, chunk }
      }),
    more: (query, after, limit) => db.read(() => lists[query.field].more(scope(query), after, limit)),
  }
}
