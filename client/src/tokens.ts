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
  get(signal?: AbortSignal, refused?: string): Promise<TokenSet>
  /** One request to the token endpoint; its tokens are stored. */
  request(fields: Record<string, string>, idempotencyKey?: string, signal?: AbortSignal): Promise<TokenSet>
}

/** Renewed so many milliseconds before the end, so that no request arrives late; of a short life, a tenth. */
const longestMargin = 60_000

/** One renewal serves every request that needs it, and ends when none of them waits for it any more. */
interface Renewal {
  tokens: Promise<TokenSet>
  abort: AbortController
  waiting: number
}

interface TokenBody {
  access_token: string
  refresh_token?: string
  scope?: string
  expires_in: number
}

export function createTokens(transport: Transport, options: TokenOptions): Tokens {
  const { clientId, clientSecret, scope, tokenStore = inMemory(), now = Date.now } = options
  let current: TokenSet | null = null
  let renewal: Renewal | null = null
  let margin = longestMargin
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
    margin = Math.min(longestMargin, expires_in * 100)
    return tokens
  }

  async function renew(signal: AbortSignal, refused?: string): Promise<TokenSet> {
    // Another process may have renewed it.
    const stored = await tokenStore.get()
    current = usable(stored, refused)
    if (current !== null) return current
    // Never aborted: the server may have replaced the token already, and its answer would be lost.
    if (stored?.refreshToken !== undefined) return refresh(stored.refreshToken)
    if (clientSecret === undefined) {
      const message = 'no token: send the merchant through authorizationUrl, or give a clientSecret'
      throw new TillgateError('authorization_required', message)
    }
    const asked = scope === undefined ? {} : { scope }
    return request({ grant_type: 'client_credentials', ...asked }, undefined, signal)
  }

  function begin(refused?: string): Renewal {
    const abort = new AbortController()
    return { tokens: renew(abort.signal, refused), abort, waiting: 0 }
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
    async get(signal, refused) {
      signal?.throwIfAborted()
      const held = usable(current, refused)
      if (held !== null) return held
      const own = renewal ?? begin(refused)
      renewal = own
      own.waiting++
      try {
        return await abortable(own.tokens, signal)
      } finally {
        if (--own.waiting === 0) {
          own.abort.abort()
          if (renewal === own) renewal = null
        }
      }
    },
  }
}

/** Ends the waiting of one, not what it waits for. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
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
