import type { AdapterPayload } from 'oidc-provider'
import { ApiError } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'
import type { Bearer } from './bearer.ts'
import { toSystemTime } from './system-time.ts'

/**
 * oidc-provider introspects and revokes stored tokens only, and rejects JWTs. So the route verifies an access token and
 * sends this text in its place; the adapter answers a lookup of it with the verified token of the same request.
 */
export const verifiedTokenHandle = 'verified-access-token'

/** A live access token as the provider would have stored it; null for any other token. */
export type VerifyAccessToken = (token: string) => Promise<AdapterPayload | null>

export function createAccessTokenVerifier({
  bearer,
  storage,
  clock,
}: {
  bearer: Bearer
  storage: Storage
  clock: Clock
}): VerifyAccessToken {
  return async token => {
    const verified = await bearer.verify(token).catch(error => {
      // An invalid token is an answer; keys that cannot be read are a fault.
      if (error instanceof ApiError) return null
      throw error
    })
    if (!verified) return null
    const { claim, scope } = verified.principal
    if (await storage.revokedTokens.has(claim.jti, claim.family)) return null
    const { iat, exp, aud, sub } = verified.claims
    return {
      kind: claim.authorization_id === null ? 'ClientCredentials' : 'AccessToken',
      jti: claim.jti,
      clientId: claim.app_id,
      scope,
      iat: toSystemTime(iat as number, clock),
      exp: toSystemTime(exp as number, clock),
      aud,
      ...(claim.authorization_id !== null && { accountId: sub, grantId: claim.authorization_id }),
    } as AdapterPayload
  }
}
