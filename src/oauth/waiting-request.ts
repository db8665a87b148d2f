import type Provider from 'oidc-provider'
import { equalHashes, sha256 } from '../lib/hash.ts'
import { answerAddress } from './authorize-request.ts'
import { browserParameter } from './browser-binding.ts'

/** An authorization request that waits for the merchant's decision. */
export interface WaitingRequest {
  uid: string
  client_id: string
  scope: string
  redirect_uri: string
  state: string | undefined
  /** It waited too long, and can no longer be answered. */
  expired: boolean
  /** Where the browser goes on once it is answered; null until then. */
  resume: string | null
}

/**
 * The request of this id, for the browser that began it and for no other. One that has expired is known until it is
 * swept away, so that its merchant can still be sent back.
 */
export async function findWaiting(
  provider: Provider,
  uid: string,
  browser: string | undefined,
): Promise<WaitingRequest | null> {
  const open = await provider.Interaction.find(uid)
  const known = open ?? (await provider.Interaction.find(uid, { ignoreExpiration: true }))
  if (!known || browser === undefined) return null
  const params = known.params as Record<'client_id' | 'scope' | 'redirect_uri', string> &
    Record<string, string | undefined>
  if (!equalHashes(params[browserParameter] ?? '', sha256(browser))) return null
  const { client_id, scope, redirect_uri } = params
  const resume = known.result === undefined ? null : known.returnTo
  return { uid, client_id, scope, redirect_uri, state: params['state'], expired: !open, resume }
}

/** Where the merchant goes back to when time ran out: the app learns which of its requests it was (RFC 6749 §4.1.2.1). */
export function expiredAddress({ redirect_uri, state }: WaitingRequest, issuer: string): string {
  const answer = new URLSearchParams({
    error: 'access_denied',
    error_description: 'the request expired before the merchant decided',
    ...(state !== undefined && { state }),
    iss: issuer,
  })
  return answerAddress(redirect_uri, answer)
}
