import type { Items } from '../../port/index.ts'
import { endOfTime, type List, lowestId } from './list.ts'
import type { ListShape } from './list-sql.ts'

export function createItems(list: (shape: ListShape) => List): Items {
  const byId = list({ table: 'items', order: ['id'], version: 'items_version' })
  const byUpdated = list({
    table: 'items',
    order: ['updated_at', 'id'],
    version: 'items_version',
  })

  return {
    page(claim, { store_id, updated_after }, offset, limit, unless_version, total) {
      const read = { offset, limit: Math.min(limit, total ?? limit), unless_version, total }
      return updated_after === null
        ? byId.page(claim, store_id, { from: [lowestId], to: endOfTime }, read)
        : byUpdated.page(
            claim,
            store_id,
            { from: [updated_after + 1, lowestId], to: endOfTime }, // strictly after, in whole seconds
            read,
          )
    },
    more: ({ store_id, updated_after }, after, limit, claim) =>
      (updated_after === null ? byId : byUpdated).more(store_id, { after, to: endOfTime }, limit, claim),
  }
}
