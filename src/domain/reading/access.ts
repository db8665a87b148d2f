import { fail } from '../../errors.ts'
import type { Seconds } from '../../lib/clock.ts'
import type {
  AccessClaim,
  AccessFacts,
  ReadClaim,
  Storage,
  StoreFacts,
  TokenFacts,
} from '../../storage/port/index.ts'

/** The app and the authorization that a verified token belongs to. */
export interface Principal {
  claim: AccessClaim
  scopes: ReadonlySet<string>
  /** As the token carries them, space-delimited. */
  scope: string
  /** When the token expires. */
  expires_at: Seconds
}

/** Who reads: the app of a token, or a person on the pages. */
export interface Reader {
  claim: ReadClaim
}

/** The checks run in this order: token, scope, parameters, store exists, store allowed. Here are the first and the last two. */

export function checkToken(facts: TokenFacts): void {
  if (!facts.app_live) throw fail('token_revoked', 'The app that holds this token was disabled or removed')
  if (facts.token_revoked) throw fail('token_revoked', 'This token was revoked')
  if (!facts.authorization_live)
    throw fail('token_revoked', 'The merchant’s authorization behind this token was revoked')
}

export function checkStore(facts: AccessFacts, store_id: bigint): StoreFacts {
  checkToken(facts)
  if (facts.store === null) throw fail('store_not_found', `No store has the id ${store_id}`)
  if (!facts.store_allowed) throw forbidden(store_id)
  return facts.store
}

export const forbidden = (store_id: bigint) =>
  fail('store_forbidden', `This token may not access store ${store_id}`)

/** For a request that fails anyway: a revoked token is reported before any other problem. */
export async function checkLive(storage: Storage, principal: Principal): Promise<void> {
  checkToken(await storage.stores.access(principal.claim, null))
}
