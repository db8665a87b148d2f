import type { Seconds } from '../../lib/clock.ts'
import type { Storage } from '../../storage/port/index.ts'
import { checkStore, type Reader } from './access.ts'
import { firstSmallRows, type Listing, offsetOf, pageOf, type PageStart } from './page.ts'

export interface ItemsRequest extends PageStart {
  store_id: bigint
  updated_after?: Seconds | undefined
}

export function createItemList({ items }: Pick<Storage, 'items'>) {
  return async ({ claim }: Reader, request: ItemsRequest, known: number | null): Promise<Listing> => {
    const { store_id, updated_after = null, count, behind } = request
    const query = { store_id, updated_after }
    const { facts, chunk, end, version } = await items.page({
      claim,
      query,
      offset: offsetOf(request),
      behind,
      limit: firstSmallRows(count),
      count,
      unless_version: known,
    })
    checkStore(facts, store_id, 'integration.inventory')
    if (chunk === null) return { version, page: null }
    const page = pageOf(chunk, count, end, {
      more: (after, limit) => items.more({ claim, query, after, limit }),
      check: now => void checkStore(now, store_id, 'integration.inventory'),
    })
    return { version, page }
  }
}
