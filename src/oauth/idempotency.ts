import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { open, seal } from '../lib/sealed.ts'
import type { Clock, Seconds } from '../lib/clock.ts'
import { equalHashes, sha256 } from '../lib/hash.ts'
import type { NewArtifact, Storage } from '../storage/port/index.ts'
import type { KeyedRequest } from './provider-request.ts'
import { readRefreshToken } from './refresh-token.ts'

/**
 * Idempotency-Key at the token endpoint: a client that lost the response to an exchange sends the same request again and
 * gets the same response. It is stored in the transaction of the exchange.
 */

/** A public client is not authenticated, so the time in which others can repeat its request is short. */
const lifetimes = { confidential: 600, public: 60 }

const kind = 'Exchange'

interface StoredAnswer {
  fingerprint: string
  /** The hash of the refresh token in the answer. */
  next: string
  sealed: string
}

/** Undefined when the request has no Idempotency-Key. The provider has authenticated the client by now. */
export function readKeyedRequest(ctx: KoaContextWithOIDC, presented: string): KeyedRequest | undefined {
  const key = ctx.headers['idempotency-key']
  if (key === undefined) return undefined
  // Node joins the values of a repeated header with a comma and a space.
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new errors.InvalidRequest('Idempotency-Key must be 1 to 255 visible ASCII characters')
  }
  const { client, params } = ctx.oidc
  // The provider keeps the parameters of the grant type and of client authentication; the latter may change.
  const { client_id: _id, client_secret: _secret, ...parameters } = { ...params }
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return {
    hash: sha256(JSON.stringify([client?.clientId, key])),
    fingerprint: sha256(JSON.stringify(sent.sort(([a], [b]) => (a < b ? -1 : 1)))),
    presented,
    lifetime: client?.clientAuthMethod === 'none' ? lifetimes.public : lifetimes.confidential,
  }
}

/** What is stored with a successful exchange: the answer, sealed with a key that only the code or refresh token gives. */
export function replayRecord(
  { hash, fingerprint, presented, lifetime }: KeyedRequest,
  { now, next, answer }: { now: Seconds; next: NewArtifact; answer: string },
): NewArtifact {
  const sealed = seal(answer, presented, hash + fingerprint)
  const stored: StoredAnswer = { fingerprint, next: next[1], sealed }
  return [kind, hash, JSON.stringify(stored), now + lifetime]
}

/**
 * The answer to an earlier request with the same key and parameters; null when there is none, or when its tokens were
 * used or have ended. Throws when the key was used with other parameters.
 */
export async function findEarlierAnswer(
  { hash, fingerprint, presented }: KeyedRequest,
  deps: { storage: Storage; clock: Clock },
): Promise<string | null> {
  const { storage, clock } = deps
  const found = await storage.artifacts.find(kind, hash)
  if (!found || found.expires_at <= clock.now()) return null
  const stored = JSON.parse(found.payload) as StoredAnswer
  if (!equalHashes(stored.fingerprint, fingerprint)) {
    throw new errors.InvalidRequest('this Idempotency-Key was used with other parameters')
  }
  const next = await readRefreshToken(stored.next, deps)
  if (!next || next.consumed_at !== null || next.ended) return null
  const authorization = await storage.authorizations.find(next.payload.grantId)
  if (!authorization || authorization.revoked_at !== null) return null
  return open(stored.sealed, presented, hash + fingerprint)
}
