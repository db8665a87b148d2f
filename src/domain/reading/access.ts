import { fail } from '../../errors.ts'
import type { AccessClaim, AccessFacts, Storage, StoreFacts } from '../../storage/port/index.ts'

/** Who a verified token speaks for. */
export interface Principal {
  claim: AccessClaim
  scopes: ReadonlySet<string>
  /** As the token carries them, space-delimited. */
  scope: string
}

/** The order of the checks is: token, scope, parameters, store exists, store allowed. These are the ends of it. */

export function checkToken(facts: AccessFacts): void {
  if (!facts.app_live) throw fail('token_revoked', 'The app that holds this token was disabled or removed')
  if (facts.token_revoked) throw fail('token_revoked', 'This token was revoked')
  if (!facts.authorization_live)
    throw fail('token_revoked', 'The merchant’s authorization behind this token was revoked')
}

export function checkStore(facts: AccessFacts, store_id: bigint): StoreFacts {
  checkToken(facts)
  if (facts.store === null) throw fail('store_not_found', `No store has the id ${store_id}`)
  if (!facts.store_allowed) throw fail('store_forbidden', `This token may not access store ${store_id}`)
  return facts.store
}

/** For a request that is refused anyway: a dead token is told first. */
export async function checkLive(storage: Storage, principal: Principal): Promise<void> {
  checkToken(await storage.stores.access(principal.claim, null))
}
