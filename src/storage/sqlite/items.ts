import type { ItemQuery, Items } from '../port.ts'
import { type Access, mayReadStore } from './access.ts'
import type { Database } from './database.ts'
import { createList, lowestId } from './list.ts'

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
    updated_after === null
      ? { list: byId, first: [lowestId] }
      : { list: byUpdated, first: [updated_after + 1, lowestId] } // strictly after, in whole seconds

  return {
    page: (claim, query, offset, limit, unless_version) =>
      db.read(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts) || facts.store?.items_version === unless_version)
          return { facts, chunk: null }
        const { list, first } = listOf(query)
        return { facts, chunk: list.page([query.store_id], first, offset, limit) }
      }),
    more: (query, after, limit) => db.read(() => listOf(query).list.more([query.store_id], after, limit)),
  }
}
