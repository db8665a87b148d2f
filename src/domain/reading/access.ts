import { allowedForGrant, type Scope } from '../../contract/scopes.ts'
import { type ApiError, fail } from '../../errors.ts'
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

/** What a request needs: one of these scopes would do. */
export type Needed = Scope | readonly [Scope, ...Scope[]]

/** The checks run in this order: token, scope, parameters, store exists, store allowed. */

export function checkToken(facts: TokenFacts, needed: Needed): void {
  if (!facts.app_live) throw fail('token_revoked', 'The app that holds this token was disabled or removed')
  if (facts.token_revoked) throw fail('token_revoked', 'This token was revoked')
  if (!facts.authorization_live)
    throw fail('token_revoked', 'The merchant’s authorization behind this token was revoked')
  // The app's developer may have removed the scope after the token was issued.
  if (!covers(facts.app_scope, needed))
    throw insufficient(listOf(needed)[0], `This app is not registered for the scope ${named(needed)}`)
}

export function checkStore(facts: AccessFacts, store_id: bigint, needed: Needed): StoreFacts {
  checkToken(facts, needed)
  if (facts.store === null) throw fail('store_not_found', `No store has the id ${store_id}`)
  checkAllowed(facts.store_allowed ? facts.store_scope : null, store_id, needed)
  return facts.store
}

/** `scope`: that by which the store may be read; null when it may not. */
export function checkAllowed(scope: string | null, store_id: bigint, needed: Needed): void {
  if (scope === null) {
    throw fail(
      'store_forbidden',
      `This token may not access store ${store_id}; GET /integration/v1/stores lists those that it may`,
    )
  }
  if (covers(scope, needed)) return
  throw fail(
    'store_forbidden',
    `The app may not read store ${store_id} with ${named(needed)}: the app got this scope after the store was connected. The merchant must connect the app again, or the operator must link the store again`,
  )
}

const listOf = (needed: Needed): readonly [Scope, ...Scope[]] =>
  typeof needed === 'string' ? [needed] : needed

const named = (needed: Needed): string => listOf(needed).join(' or ')

/** `scope` is space-delimited. It is not split, because those of thousands of waiting requests are checked every second. */
export function covers(scope: string, needed: Needed): boolean {
  const names = ` ${scope} `
  return listOf(needed).some(name => names.includes(` ${name} `))
}

/** RFC 6750 §3.1: `scope` is the one to request a token with. */
const insufficient = (scope: Scope, message: string): ApiError =>
  fail('scope_insufficient', message, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })

/** Throws for a token without any of these scopes. */
export async function rejectScope(storage: Storage, { claim }: Principal, needed: Needed): Promise<never> {
  const facts = await storage.stores.access(claim, null)
  checkToken(facts, needed)
  const scopes = listOf(needed)
  // One that the app is registered for, because a token request that names another gets invalid_scope.
  const scope = scopes.find(name => covers(facts.app_scope, name)) ?? scopes[0]
  const remedy =
    claim.authorization_id === null || allowedForGrant(scope, 'authorization_code')
      ? `request a token with ${scope}`
      : `a merchant’s consent gives integration.store alone, and the app’s own token (grant_type=client_credentials) has ${scope}`
  throw insufficient(scope, `This token was issued without the scope ${named(needed)}: ${remedy}`)
}

/** For a request that fails anyway: a revoked token is reported before any other problem. */
export async function checkLive(storage: Storage, principal: Principal, needed: Needed): Promise<void> {
  checkToken(await storage.stores.access(principal.claim, null), needed)
}
