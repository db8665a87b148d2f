import type { KoaContextWithOIDC } from 'oidc-provider'

/**
 * Spec 5.2: the merchant returns with query parameters, in no other way. That holds for errors too, also for the error
 * of a request that asks for another way or for a response type that would come in the fragment.
 */
export async function answerByQuery(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.path !== '/auth/v2/authorize') return next()
  const { response_mode, ...query } = ctx.query
  if (response_mode !== undefined && response_mode !== 'query') {
    ctx.query = query
    ctx.state['refusedResponseMode'] = true
  }
  await next()
  const location = ctx.response.get('location') || ''
  // A registered redirect URI has no fragment, so the first # is the provider's.
  if (location.includes('#')) ctx.redirect(location.replace('#', location.includes('?') ? '&' : '?'))
}

export const askedForAnotherMode = (ctx: KoaContextWithOIDC): boolean =>
  ctx.state['refusedResponseMode'] === true
