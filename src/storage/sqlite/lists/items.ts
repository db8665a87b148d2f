import { minInt64 } from '../../../lib/int64.ts'
import type { ItemQuery, Items, StoreFacts } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { type Access, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { createList } from './list.ts'

export function createItems(db: Database, access: Access): Items {
  const byId = createList(db, {
    docs: 'items where store_id = ?',
    order: ['id'],
  })
  const byUpdated = createList(db, {
    docs: 'items indexed by items_by_updated where store_id = ?',
    order: ['updated_at', 'id'],
  })
  const listOf = ({ updated_after }: ItemQuery) =>
    updated_after === null ? { list: byId, from: minInt64 } : { list: byUpdated, from: updated_after + 1 } // strictly after, in whole seconds

  return {
    async page({ claim, query, offset, behind, limit, count, unless_version: known = null }) {
      const { store_id } = query
      const asked = { claim, store_id, version: (store: StoreFacts) => store.items_version, known }
      const { facts, version, found } = await access.read(asked, () => {
        const { list, from } = listOf(query)
        return list.page([store_id], { from, offset, behind, limit, count })
      })
      const { chunk = null, end = null } = found ?? {}
      return { facts, version, chunk, end }
    },
    more: ({ claim, query, after, limit }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts)) return { ...emptyChunk(), facts }
        return { ...listOf(query).list.more([query.store_id], { after, limit }), facts }
      }),
  }
}
