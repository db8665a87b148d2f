import type { KoaContextWithOIDC } from 'oidc-provider'
import { takeDeferred } from './deferred-consume.ts'
import { oauthErrorBody } from './error-body.ts'
import { contextOf } from './provider-request.ts'

/** Middleware of the provider: the last step before a response leaves. */
export async function beforeResponse(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const context = contextOf(ctx)
  try {
    if (ctx.status < 400 && takeDeferred(context)) {
      throw new Error('tokens were issued for a code or refresh token that was not consumed')
    }
    await context.beforeResponse?.(ctx)
  } catch (error) {
    // As the provider answers and reports its own faults.
    ctx.status = 500
    ctx.body = oauthErrorBody(500, 'something went wrong on our side')
    ctx.oidc.provider.emit('server_error', ctx, error as Error)
  }
}
