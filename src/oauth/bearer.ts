import { errors, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { accessTokenLifetime, inDays } from '../contract/lifetimes.ts'
import { splitScope } from '../contract/scopes.ts'
import type { Principal } from '../domain/reading/access.ts'
import type { Keys } from '../domain/keys.ts'
import { fail } from '../errors.ts'
import type { Clock, Seconds } from '../lib/clock.ts'
import type { TokenFamily } from '../storage/port/index.ts'
import { familyOfUpgrade } from './refresh-token.ts'

/** RFC 9068 §2.1: the `typ` of an access token. */
const accessTokenType = 'at+jwt'
export const signingAlgorithm = 'ES256'

interface VerifiedToken {
  principal: Principal
  claims: JWTPayload
  expires_at: Seconds
}

export interface Bearer {
  /** Verifies the token's own content; the query for the data checks that it is not revoked. */
  verify(token: string): Promise<VerifiedToken>
  /** Reads the Authorization header of an API request (RFC 6750 §2.1); no other place may carry a token. */
  authenticate(authorization: string | undefined): Promise<Principal>
  /** The same without a promise, for a cached token; null for every other, which `authenticate` handles. */
  recall(authorization: string | undefined): Principal | null
}

/** About 1 KiB each, so at most about 10 MiB. */
const cachedTokens = 10_000

/** Our tokens have about 600 characters; verifying a much longer one would waste CPU. */
const longestToken = 4096

export function createBearer({ keys, clock, issuer }: { keys: Keys; clock: Clock; issuer: string }): Bearer {
  // A signature stays valid, so each is checked once. Only verified tokens are cached.
  const cache = new LRUCache<string, VerifiedToken>({ max: cachedTokens })

  async function publicKey(kid: string | undefined) {
    const key = (await keys.signing()).find(({ id }) => id === kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    const { d: _private, ...jwk } = JSON.parse(key.secret) as Record<string, string>
    return importJWK(jwk, signingAlgorithm)
  }

  async function verifySignature(token: string): Promise<VerifiedToken> {
    // Keys come from our list only; a key or an address in the header is ignored (RFC 8725 §3.10).
    const { payload } = await jwtVerify(token, ({ kid }) => publicKey(kid), {
      algorithms: [signingAlgorithm],
      typ: accessTokenType,
      issuer,
      audience: issuer,
      requiredClaims: ['exp', 'iat', 'jti', 'client_id', 'sub'],
      currentDate: new Date(clock.now() * 1000),
    })
    // We issue none with a longer lifetime, so somebody else used the key.
    if ((payload.exp as Seconds) - (payload.iat as Seconds) > accessTokenLifetime) throw invalid()
    const scope = typeof payload['scope'] === 'string' ? payload['scope'] : ''
    const authorization_id =
      typeof payload['authorization_id'] === 'string' ? payload['authorization_id'] : null
    return {
      claims: payload,
      expires_at: payload.exp as Seconds,
      principal: {
        claim: {
          app_id: payload['client_id'] as string,
          authorization_id,
          jti: payload.jti as string,
          ...(authorization_id !== null && { family: familyOf(payload, authorization_id) }),
        },
        scopes: new Set(splitScope(scope)),
        scope,
        expires_at: payload.exp as Seconds,
      },
    }
  }

  const verify: Bearer['verify'] = async token => {
    let verified = cache.get(token)
    if (!verified) {
      if (token.length > longestToken) throw invalid()
      try {
        verified = await verifySignature(token)
      } catch (error) {
        // The signature is valid, so the app_id in it is true.
        if (error instanceof errors.JWTExpired) throw expired(error.payload['client_id'])
        if (error instanceof errors.JOSEError || error instanceof TypeError) throw invalid()
        throw error
      }
      cache.set(token, verified)
    }
    if (verified.expires_at <= clock.now()) throw expired(verified.principal.claim.app_id)
    return verified
  }

  return {
    verify,
    async authenticate(authorization) {
      // RFC 6750 §3.1: with another scheme the request has no token, not an invalid one.
      if (!/^bearer(?: |$)/i.test(authorization ?? '')) {
        throw fail('token_missing', 'Send the access token in the header "Authorization: Bearer <token>"')
      }
      const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) throw invalid('The Authorization header is not "Bearer <token>"')
      return (await verify(token)).principal
    },
    recall(authorization) {
      if (!authorization?.startsWith('Bearer ')) return null
      const verified = cache.get(authorization.slice('Bearer '.length))
      return verified !== undefined && verified.expires_at > clock.now() ? verified.principal : null
    },
  }
}

function familyOf({ family, generation }: JWTPayload, authorization_id: string): TokenFamily {
  if (typeof family !== 'string' || typeof generation !== 'number') return familyOfUpgrade(authorization_id)
  return { id: family, generation }
}

const invalid = (message = 'This access token was not issued by this server, or was altered') =>
  fail('token_invalid', message)

const expired = (app_id: unknown) =>
  fail(
    'token_expired',
    `This access token has expired after ${inDays(accessTokenLifetime)}; refresh it or request a new one`,
    typeof app_id === 'string' ? { app_id } : {},
  )
