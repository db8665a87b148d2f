import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'
import { endFamily } from './ended-family.ts'
import { findEarlierAnswer, replayRecord } from './idempotency.ts'
import { contextOf, currentContext, type Exchange } from './provider-request.ts'
import { explainInvalidGrant } from './token-errors.ts'

export const codeKind = 'AuthorizationCode'

interface ExchangeDeps {
  storage: Storage
  clock: Clock
}

export function currentExchange(): Exchange {
  const exchange = currentContext()?.exchange
  if (!exchange) throw new Error('only a token request exchanges a code or refresh token')
  return exchange
}

/**
 * oidc-provider consumes a code or refresh token first and stores the next refresh token later. Here one transaction does
 * both when the response is complete, and stores the response for an Idempotency-Key: a fault in between would leave the
 * app with nothing, and its retry would look like theft.
 */
export async function completeExchange(ctx: KoaContextWithOIDC, deps: ExchangeDeps): Promise<void> {
  const { exchange } = contextOf(ctx)
  if (!exchange) return
  if (exchange.earlier !== undefined) return answerAgain(ctx, exchange.earlier)
  if (ctx.status >= 400) return
  const { accepted, next, kind, hash, keyed } = exchange
  if (!accepted || !next) {
    throw new Error('tokens were issued for a code or refresh token that was not consumed')
  }
  const now = deps.clock.now()
  const record = keyed && replayRecord(keyed, { now, next, answer: JSON.stringify(ctx.body) })
  // The conditional update decides which request was first; the provider's own check is a race (RFC 6749 §4.1.2).
  if (await deps.storage.artifacts.consume(kind, hash, now, next, record)) return
  try {
    const earlier = keyed && (await findEarlierAnswer(keyed, deps))
    if (earlier) return answerAgain(ctx, earlier)
    // As when the second use comes later. A refresh token has a time in which a retry ends nothing (exchange-adapter.ts).
    const grantId = ctx.oidc.entities.AuthorizationCode?.grantId
    if (kind === codeKind && !keyed && grantId) await endFamily(exchange.family, grantId, deps)
    throw new errors.InvalidGrant('the code or refresh token was already used')
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const { statusCode, error: code, error_description } = error
    ctx.status = statusCode
    ctx.body = { error: code, error_description }
    explainInvalidGrant(ctx, error)
  }
}

function answerAgain(ctx: KoaContextWithOIDC, answer: string): void {
  ctx.status = 200
  ctx.body = JSON.parse(answer)
  ctx.set('idempotent-replayed', 'true')
}
