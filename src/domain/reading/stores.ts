import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/port/index.ts'
import { checkStore, checkToken, type Principal } from './access.ts'
import { firstSmallRows, offsetOf, type Page, pageOf, type PageStart } from './page.ts'

export function createStoreList(storage: Storage) {
  return async ({ claim }: Principal, request: PageStart): Promise<Page> => {
    const { count, behind } = request
    const { stores } = storage
    const offset = offsetOf(request)
    const limit = firstSmallRows(count)
    const { facts, chunk, end } = await stores.page({ claim, offset, behind, limit, count })
    checkToken(facts, 'integration.store')
    if (chunk === null) throw new Error('the storage returned no page of stores for a live token')
    return pageOf(chunk, count, end, {
      more: (after, rows) => stores.more({ claim, after, limit: rows }),
      check: now => checkToken(now, 'integration.store'),
    })
  }
}

/** Spec 4.2. Idempotent: the time of the first activation stays. Returns the store with the token's scopes. */
export function createActivation(storage: Storage, clock: Clock) {
  return async ({ claim, scope }: Principal, store_id: bigint): Promise<string> => {
    const facts = await storage.stores.access(claim, store_id)
    const { doc } = checkStore(facts, store_id, 'integration.store')
    await storage.stores.activate(store_id, claim.app_id, clock.now())
    return `${doc.slice(0, -1)},"scope":${JSON.stringify(scope)}}`
  }
}
