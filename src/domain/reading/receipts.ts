import type { Receipt, Storage } from '../../storage/port/index.ts'
import { checkStore, type Principal } from './access.ts'
import { readableKinds } from './changes.ts'
import { feedOf } from './feed.ts'

export interface ReceiptsRequest {
  store_id: bigint
  /** Days since 1970-01-01, both included. */
  start_day: number
  end_day: number
}

export interface ReceiptList {
  feed: string
  seq: number
  days: readonly (Receipt & { day: number })[]
  /** Null when the token may not read items. */
  items: Receipt | null
}

/** Counts and digests of what the server holds, by which a client proves that it holds the same. */
export function createReceipts({ changes }: Pick<Storage, 'changes'>) {
  return async (principal: Principal, request: ReceiptsRequest): Promise<ReceiptList> => {
    const { claim } = principal
    const { store_id, start_day: first_day, end_day: last_day } = request
    const { facts, history, receipts } = await changes.receipts({
      claim,
      query: { store_id, first_day, last_day },
    })
    const { seq } = checkStore(facts, store_id, 'integration.order')
    if (receipts === null) throw new Error('the storage returned no receipts for a store that may be read')
    const kinds = readableKinds(principal, facts)
    return {
      feed: feedOf(history, kinds),
      seq,
      days: receipts.days,
      items: kinds.includes('item') ? receipts.items : null,
    }
  }
}
