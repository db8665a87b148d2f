import type { AdapterPayload } from 'oidc-provider'
import { ApiError } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import type { Storage } from '../storage/port/index.ts'
import type { Bearer } from './bearer.ts'
import { toMachineTime } from './machine-time.ts'

/**
 * The provider introspects and revokes only tokens that it finds in storage, and refuses JWTs. So an access token
 * that a client presents is verified here first and handed on under a name that holds for this one request.
 */
export interface PresentedTokens {
  /** A name for the token when it is a live access token of ours; null for anything else. */
  present(token: string): Promise<string | null>
  find(kind: string, handle: string): AdapterPayload | undefined
  forget(handle: string): void
}

export function createPresentedTokens({
  bearer,
  storage,
  clock,
}: {
  bearer: Bearer
  storage: Storage
  clock: Clock
}): PresentedTokens {
  const tokens = new Map<string, AdapterPayload>()
  return {
    async present(token) {
      const verified = await bearer.verify(token).catch(error => {
        // Not ours is one answer; that the keys could not be read is none.
        if (error instanceof ApiError) return null
        throw error
      })
      if (!verified || (await storage.revokedTokens.has(verified.principal.claim.jti))) return null
      const { claim, scope } = verified.principal
      const { iat, exp, aud, sub } = verified.claims
      const handle = randomId()
      tokens.set(handle, {
        kind: claim.authorization_id === null ? 'ClientCredentials' : 'AccessToken',
        jti: claim.jti,
        clientId: claim.app_id,
        scope,
        iat: toMachineTime(iat as number, clock),
        exp: toMachineTime(exp as number, clock),
        aud,
        ...(claim.authorization_id !== null && { accountId: sub, grantId: claim.authorization_id }),
      } as AdapterPayload)
      return handle
    },
    find(kind, handle) {
      const payload = tokens.get(handle)
      return payload?.kind === kind ? payload : undefined
    },
    forget: handle => void tokens.delete(handle),
  }
}
