import type { Items } from '../port.ts'
import type { Database } from './database.ts'
import { createList, endOfTime, lowestId } from './list.ts'

export function createItems(db: Database): Items {
  const byId = createList(db, { table: 'items', order: ['id'], version: 'items_version' })
  const byUpdated = createList(db, {
    table: 'items',
    order: ['updated_at', 'id'],
    version: 'items_version',
  })

  return {
    page(claim, { store_id, updated_after }, offset, limit, unless_version) {
      const read = { offset, limit, unless_version }
      return updated_after === null
        ? byId.page(claim, store_id, { from: [lowestId], to: endOfTime }, read)
        : byUpdated.page(
            claim,
            store_id,
            { from: [updated_after + 1, lowestId], to: endOfTime }, // strictly after, in whole seconds
            read,
          )
    },
    more: ({ store_id, updated_after }, after, limit) =>
      (updated_after === null ? byId : byUpdated).more(store_id, { after, to: endOfTime }, limit),
  }
}
