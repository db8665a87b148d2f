import { maxInt64, minInt64 } from '../../../lib/int64.ts'
import type { ItemQuery, Items } from '../../port/index.ts'
import type { List } from './list.ts'
import type { ListShape } from './list-sql.ts'

export function createItems(list: (shape: ListShape) => List): Items {
  const byId = list({ table: 'items', order: ['id'], version: 'items_version' })
  const byUpdated = list({
    table: 'items',
    order: ['updated_at', 'id'],
    version: 'items_version',
  })
  const listOf = ({ updated_after }: ItemQuery) =>
    updated_after === null
      ? { list: byId, from: [minInt64] }
      : { list: byUpdated, from: [updated_after + 1, minInt64] } // strictly after, in whole seconds

  return {
    page({ query, ...read }) {
      const { list, from } = listOf(query)
      const limit = Math.min(read.limit, read.count ?? read.limit)
      return list.page({ ...read, store_id: query.store_id, from, to: maxInt64, limit })
    },
    more: ({ query, ...read }) =>
      listOf(query).list.more({ ...read, store_id: query.store_id, to: maxInt64 }),
  }
}
