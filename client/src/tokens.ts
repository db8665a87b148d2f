import { TillgateError } from './errors.ts'
import { base64url } from './base64.ts'
import type { Transport } from './transport.ts'

/** Access tokens: fetched when needed, renewed once for parallel requests. */

export interface TokenSet {
  accessToken: string
  /** Of the authorization_code grant; one use. */
  refreshToken?: string
  /** Space-separated scopes that were granted. */
  scope: string
  /** Unix time in milliseconds. */
  expiresAt: number
}

/** Where tokens are kept, for several processes or restarts. `set` is awaited before a token is used. */
export interface TokenStore {
  get(): TokenSet | null | undefined | Promise<TokenSet | null | undefined>
  set(tokens: TokenSet): void | Promise<void>
}

export interface TokenOptions {
  clientId: string
  clientSecret?: string
  /** Scopes to ask for; default: all that the app may have. */
  scope?: string
  /** Default: in memory. */
  tokenStore?: TokenStore
  /** Unix time in milliseconds; another one in tests. */
  now?: () => number
}

export interface Tokens {
  /** A token that is valid now and is not `refused`, the one that an answer 401 was about. */
  get(refused?: string): Promise<TokenSet>
  /** One request to the token endpoint; its tokens are stored. */
  request(fields: Record<string, string>, idempotencyKey?: string, signal?: AbortSignal): Promise<TokenSet>
}

/** Renewed so many milliseconds before the end, so that no request arrives late. */
const margin = 60_000

interface TokenBody {
  access_token: string
  refresh_token?: string
  scope?: string
  expires_in: number
}

export function createTokens(transport: Transport, options: TokenOptions): Tokens {
  const { clientId, clientSecret, scope, tokenStore = inMemory(), now = Date.now } = options
  let current: TokenSet | null = null
  let renewal: Promise<TokenSet> | null = null
  const usable = (tokens: TokenSet | null | undefined, refused?: string): TokenSet | null =>
    tokens && tokens.accessToken !== refused && tokens.expiresAt - margin > now() ? tokens : null

  async function request(
    fields: Record<string, string>,
    idempotencyKey?: string,
    signal?: AbortSignal,
  ): Promise<TokenSet> {
    const body = new URLSearchParams(fields)
    body.set('client_id', clientId)
    if (clientSecret !== undefined) body.set('client_secret', clientSecret)
    const asked = now()
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
    const answer = await transport.send({ method: 'POST', path: '/auth/v2/token', body, headers, signal })
    const { access_token, refresh_token, scope = '', expires_in } = (answer.body ?? {}) as TokenBody
    if (typeof access_token !== 'string' || !(expires_in > 0)) {
      throw new TillgateError('response_invalid', 'the token endpoint sent no access_token and expires_in')
    }
    const tokens: TokenSet = { accessToken: access_token, scope, expiresAt: asked + expires_in * 1000 }
    if (refresh_token !== undefined) tokens.refreshToken = refresh_token
    await tokenStore.set(tokens)
    current = tokens
    return tokens
  }

  async function renew(refused?: string): Promise<TokenSet> {
    // Another process may have renewed it.
    const stored = await tokenStore.get()
    current = usable(stored, refused)
    if (current !== null) return current
    if (stored?.refreshToken !== undefined) return refresh(stored.refreshToken)
    if (clientSecret === undefined) {
      const message = 'no token: send the merchant through authorizationUrl, or give a clientSecret'
      throw new TillgateError('authorization_required', message)
    }
    return request({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) })
  }

  async function refresh(refresh_token: string): Promise<TokenSet> {
    // Derived from the one-use token: a retry, a restart or another process gets the same new pair, not an error.
    const text = new TextEncoder().encode(`tillgate-client refresh ${refresh_token}`)
    const key = base64url(await crypto.subtle.digest('SHA-256', text))
    try {
      return await request({ grant_type: 'refresh_token', refresh_token }, key)
    } catch (error) {
      // Another process may have used it before.
      current = usable(await tokenStore.get())
      if (current === null || current.refreshToken === refresh_token) throw error
      return current
    }
  }

  return {
    request,
    async get(refused) {
      const held = usable(current, refused)
      if (held !== null) return held
      renewal ??= renew(refused).finally(() => {
        renewal = null
      })
      return renewal
    },
  }
}

function inMemory(): TokenStore {
  let held: TokenSet | null = null
  return {
    get: () => held,
    set: tokens => {
      held = tokens
    },
  }
}
