import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import type { NewArtifact, Storage, TokenFamily } from '../storage/port/index.ts'
import { endFamily } from './ended-family.ts'
import { codeKind, currentExchange } from './exchange.ts'
import { findEarlierAnswer, readKeyedRequest } from './idempotency.ts'
import { currentContext } from './provider-request.ts'
import { nextFamily, readRefreshToken, refreshTokenKind } from './refresh-token.ts'
import { toSystemTime } from './system-time.ts'

/** The provider's storage of codes and refresh tokens, by the hash of their value. */

interface Deps {
  storage: Storage
  clock: Clock
}

/**
 * In this time, a client that lost the response may retry: the second use is rejected and has no other effect. Later,
 * it means that the token was copied, and it ends the tokens that descend from it (RFC 9700 §4.14.2).
 */
const retryGrace = 10

export function codes(deps: Deps): Partial<Adapter> {
  const { storage, clock } = deps
  return {
    async upsert(id, payload, expiresIn = 0) {
      await storage.artifacts.put(...artifactOf(codeKind, id, payload, clock.now() + expiresIn))
    },
    async find(id) {
      const hash = sha256(id)
      const artifact = await storage.artifacts.find(codeKind, hash)
      // The code's hash names the family of its tokens, so that nothing more needs to be stored.
      if (await isRepeated(codeKind, id, { id: hash, generation: 0 }, deps)) return undefined
      if (!artifact) return undefined
      const payload = JSON.parse(artifact.payload) as AdapterPayload
      if (isOfOtherApp(payload)) return undefined
      // The record of a parallel request with the same key may not be visible yet: Citus keeps it on another worker.
      if (currentContext()?.exchange?.keyed && mayBeRetry(artifact, clock))
        return refuse('authorization code already used')
      if (Provider.ctx?.oidc.params?.['code_verifier'] !== undefined && payload.codeChallenge === undefined)
        return refuse('code_verifier was sent, but the authorization request had no code_challenge')
      return stored(id, { ...artifact, payload }, clock)
    },
    consume,
  }
}

export function refreshTokens(deps: Deps): Partial<Adapter> {
  const { clock } = deps
  return {
    async upsert(id, payload, expiresIn = 0) {
      const exchange = currentExchange()
      const withFamily = { ...payload, family: exchange.family }
      exchange.next = artifactOf(refreshTokenKind, id, withFamily, clock.now() + expiresIn)
    },
    async find(id) {
      const token = await readRefreshToken(sha256(id), deps)
      // An app may end its authorization with any of its refresh tokens, also one that it has used.
      if (Provider.ctx?.oidc.route === 'revocation') return token ? stored(id, token, clock) : undefined
      const family = token ? nextFamily(token) : { id: '', generation: 0 }
      if (await isRepeated(refreshTokenKind, id, family, deps)) return undefined
      if (!token || isOfOtherApp(token.payload)) return undefined
      if (mayBeRetry(token, clock)) return refuse('refresh token already used')
      if (token.ended)
        return refuse('refresh token ended: the code or refresh token before it was used twice')
      return stored(id, token, clock)
    },
    consume,
    // The provider calls this for a second use, and for a revocation, which ends the authorization instead.
    async revokeByGrantId(grantId) {
      const exchange = currentContext()?.exchange
      if (exchange) await endFamily(exchange.family, grantId, deps)
    },
  }
}

const mayBeRetry = ({ consumed_at }: { consumed_at: number | null }, clock: Clock): boolean =>
  consumed_at !== null && clock.now() - consumed_at <= retryGrace

const atTokenEndpoint = (): boolean => Provider.ctx?.oidc.route === 'token'

/** The token endpoint answers as if such a token did not exist. */
const isOfOtherApp = ({ clientId }: AdapterPayload): boolean =>
  atTokenEndpoint() && clientId !== Provider.ctx?.oidc.client?.clientId

/** The token endpoint gives the cause (token-errors.ts); for every other endpoint there is nothing to find. */
export function refuse(cause: string): undefined {
  if (atTokenEndpoint()) throw new errors.InvalidGrant(cause)
  return undefined
}

/** Begins the exchange at the token endpoint; true when it repeats an earlier request with the same Idempotency-Key. */
async function isRepeated(kind: string, id: string, family: TokenFamily, deps: Deps): Promise<boolean> {
  const [ctx, context] = [Provider.ctx, currentContext()]
  if (!ctx || !context || !atTokenEndpoint()) return false
  const keyed = readKeyedRequest(ctx, id)
  context.exchange = { kind, hash: sha256(id), family, keyed }
  const earlier = keyed && (await findEarlierAnswer(keyed, deps))
  if (earlier) context.exchange.earlier = earlier
  return Boolean(earlier)
}

async function consume(): Promise<void> {
  currentExchange().accepted = true
}

const artifactOf = (
  kind: string,
  id: string,
  { jti: _value, ...payload }: AdapterPayload,
  expires_at: number,
): NewArtifact => [kind, sha256(id), JSON.stringify(payload), expires_at]

const stored = (
  id: string,
  found: { payload: AdapterPayload; expires_at: number; consumed_at: number | null },
  clock: Clock,
): AdapterPayload => ({
  ...found.payload,
  jti: id,
  exp: toSystemTime(found.expires_at, clock),
  ...(found.consumed_at !== null && { consumed: found.consumed_at }),
})
