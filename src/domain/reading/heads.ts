import type { Storage } from '../../storage/port/index.ts'
import { checkToken, type Principal } from './access.ts'
import { offsetOf } from './page.ts'

export interface HeadsRequest {
  index: number
  count: number
  /** Behind this store; in place of `index`. */
  after: bigint | null
}

export type HeadList = readonly { store_id: bigint; seq: number }[]

/** The newest seq of every store that a token may read. */
export function createHeads({ changes }: Pick<Storage, 'changes'>) {
  return async ({ claim }: Principal, request: HeadsRequest): Promise<HeadList> => {
    const { after, count } = request
    const offset = after === null ? offsetOf(request) : 0
    const { facts, heads } = await changes.heads({ claim, offset, after, limit: count })
    checkToken(facts)
    if (heads === null) throw new Error('the storage returned no heads for a live token')
    return heads
  }
}
