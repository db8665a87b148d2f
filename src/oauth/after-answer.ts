import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'
import { oauthErrorBody } from './error-body.ts'
import { completeExchange } from './exchange.ts'
import { contextOf } from './provider-request.ts'

/** The innermost middleware of the provider: runs as soon as the provider has answered, before the others change the answer. */
export function afterAnswer(deps: { storage: Storage; clock: Clock }) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next()
    try {
      await completeExchange(ctx, deps)
      await contextOf(ctx).afterAnswer?.(ctx)
    } catch (error) {
      // As the provider answers and reports its own faults.
      ctx.status = 500
      ctx.body = oauthErrorBody(500, 'something went wrong on our side')
      ctx.oidc.provider.emit('server_error', ctx, error as Error)
    }
  }
}
