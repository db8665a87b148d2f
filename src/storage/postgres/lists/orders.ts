import type { OrderField, Orders } from '../../port/index.ts'
import { afterClaim, claimValues, readFacts, storeFacts } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import type { List } from './list.ts'
import type { ListShape } from './list-sql.ts'

/** After the claim: store, id. */
const orderSql = `with facts as materialized (${storeFacts})
  select facts.*, found.doc, found.seq from facts left join lateral (
    select orders.doc, orders.seq from orders
    where facts.readable and store_id = $${afterClaim} and id = $${afterClaim + 1}
  ) as found on true`

export function createOrders(db: Database, list: (shape: ListShape) => List): Orders {
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
    async find({ claim, store_id, id }) {
      const { facts, rest } = readFacts(await db.rawRow(orderSql, [...claimValues(claim), store_id, id]))
      const [doc, seq] = rest
      return { facts, order: doc ? { doc: doc.toString(), seq: Number(seq) } : null }
    },
    more: ({ query: { store_id, field, to }, ...read }) => lists[field].more({ ...read, store_id, to }),
  }
}
