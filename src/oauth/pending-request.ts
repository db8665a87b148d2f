import type Provider from 'oidc-provider'
import { equalHashes, sha256 } from '../lib/hash.ts'
import { withResponse } from './authorize-request.ts'
import { browserParameter } from './browser-binding.ts'
import { scopesParameter } from './request-policy.ts'

/** An authorization request until the merchant has decided on it. */
export interface PendingRequest {
  uid: string
  client_id: string
  scope: string
  /** The app's scopes when the request began; null for a request begun by a version that did not store them. */
  app_scope: string | null
  redirect_uri: string
  state: string | undefined
  /** The merchant can no longer decide on it. */
  expired: boolean
  decided: boolean
  /** Where the browser continues after the decision. */
  resume: string
}

/**
 * The request with this id, only for the browser that began it. An expired one is found until it is deleted, so that the
 * page can send the merchant back to the app.
 */
export async function findPendingRequest(
  provider: Provider,
  uid: string,
  browser: string | undefined,
): Promise<PendingRequest | null> {
  const open = await provider.Interaction.find(uid)
  const known = open ?? (await provider.Interaction.find(uid, { ignoreExpiration: true }))
  if (!known || browser === undefined) return null
  const params = known.params as Record<'client_id' | 'scope' | 'redirect_uri', string> &
    Record<string, string | undefined>
  if (!equalHashes(params[browserParameter] ?? '', sha256(browser))) return null
  const { client_id, scope, redirect_uri } = params
  return {
    uid,
    client_id,
    scope,
    app_scope: params[scopesParameter] ?? null,
    redirect_uri,
    state: params['state'],
    expired: !open,
    decided: known.result !== undefined,
    resume: known.returnTo,
  }
}

/** The redirect back to the app of an expired request, with its `state` (RFC 6749 §4.1.2.1). */
export function expiredAddress({ redirect_uri, state }: PendingRequest, issuer: string): string {
  const response = new URLSearchParams({
    error: 'access_denied',
    error_description: 'the request expired before the merchant decided',
    ...(state !== undefined && { state }),
    iss: issuer,
  })
  return withResponse(redirect_uri, response)
}
