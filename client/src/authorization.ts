import { base64url, randomText } from './base64.ts'
import { TillgateError } from './errors.ts'
import type { TokenSet, Tokens } from './tokens.ts'
import { baseOf } from './transport.ts'

/** The authorization_code grant with PKCE (RFC 7636), state and the issuer check of RFC 9207. */

export interface AuthorizationRequest {
  redirectUri: string
  /** Default: `integration.store`, the only scope that a merchant's consent gives. */
  scope?: string
  /** Default: random. */
  state?: string
}

/** Keep `state`, `codeVerifier` and `redirectUri` in the user's session until the browser is back. */
export interface PendingAuthorization {
  url: string
  state: string
  codeVerifier: string
  redirectUri: string
}

export interface AuthorizationOptions {
  baseUrl: string | URL
  clientId: string
  /** The server's `iss`; default: `baseUrl`. */
  issuer?: string
}

export async function authorizationUrl(
  { baseUrl, clientId }: AuthorizationOptions,
  { redirectUri, scope = 'integration.store', state = randomText() }: AuthorizationRequest,
): Promise<PendingAuthorization> {
  const codeVerifier = randomText()
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: base64url(hash),
    code_challenge_method: 'S256',
  })
  return { url: `${baseOf(baseUrl)}/auth/v2/authorize?${query}`, state, codeVerifier, redirectUri }
}

/** Checks the address that the browser came back to, and exchanges its code; the tokens are stored. */
export async function completeAuthorization(
  { baseUrl, issuer = baseOf(baseUrl) }: AuthorizationOptions,
  tokens: Tokens,
  callbackUrl: string | URL,
  pending: Pick<PendingAuthorization, 'state' | 'codeVerifier' | 'redirectUri'>,
  signal?: AbortSignal,
): Promise<TokenSet> {
  signal?.throwIfAborted()
  const { searchParams } = new URL(callbackUrl, pending.redirectUri)
  if (!pending.state || !isOnly(searchParams, 'state', pending.state)) {
    throw new TillgateError('state_mismatch', 'state is not the one of this session: begin again')
  }
  if (!isOnly(searchParams, 'iss', issuer)) {
    const message = `iss was ${JSON.stringify(searchParams.get('iss'))} instead of "${issuer}"`
    throw new TillgateError('issuer_mismatch', message)
  }
  const error = searchParams.get('error')
  if (error !== null) throw new TillgateError(error, searchParams.get('error_description') ?? error)
  const code = searchParams.get('code')
  if (!code) throw new TillgateError('response_invalid', 'the address has no code')
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: pending.redirectUri,
    code_verifier: pending.codeVerifier,
  }
  // The verifier is random and of this code alone, so a repeated exchange has the same key.
  const key = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`code ${pending.codeVerifier}`))
  return tokens.request(fields, base64url(key), signal)
}

const isOnly = (query: URLSearchParams, name: string, value: string): boolean => {
  const all = query.getAll(name)
  return all.length === 1 && all[0] === value
}
