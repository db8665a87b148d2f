import type { Storage } from '../../storage/port/index.ts'
import { checkToken, type Principal } from './access.ts'
import { kindsOf, scopesOf } from './changes.ts'
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
  return async (principal: Principal, request: HeadsRequest): Promise<HeadList> => {
    const { claim } = principal
    const scopes = scopesOf(kindsOf(principal))
    const { after, count } = request
    const offset = after === null ? offsetOf(request) : 0
    const { facts, heads } = await changes.heads({ claim, scopes, offset, after, limit: count })
    checkToken(facts, scopes)
    if (heads === null) throw new Error('the storage returned no heads for a live token')
    return heads
  }
}
