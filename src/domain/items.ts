import type { Seconds } from '../lib/clock.ts'
import type { Storage } from '../storage/port.ts'
import { checkStore, type Principal } from './access.ts'
import { firstRows, type Listing, offsetOf, pageOf } from './page.ts'

export interface ItemsRequest {
  store_id: bigint
  updated_after?: Seconds | undefined
  index: number
  count: number
}

export function createItemList(storage: Storage) {
  return async (principal: Principal, request: ItemsRequest, known: number | null): Promise<Listing> => {
    const { store_id, updated_after = null, count } = request
    const query = { store_id, updated_after }
    const limit = firstRows(count, updated_after === null ? 'fixed' : 'moving')
    const { facts, chunk } = await storage.items.page(principal.claim, query, offsetOf(request), limit, known)
    const { items_version: version } = checkStore(facts, store_id)
    const page = chunk && pageOf(chunk, count, (after, rows) => storage.items.more(query, after, rows))
    return { version, page }
  }
}
