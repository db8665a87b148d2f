import type { KoaContextWithOIDC } from 'oidc-provider'

/** RFC 6749 §5.2 has a name of its own for an app that may not use a grant type; the provider calls it invalid_request. */
export async function nameUnauthorizedClient(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next()
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (body?.error_description === 'requested grant type is not allowed for this client') {
    ctx.body = { ...body, error: 'unauthorized_client' }
  }
}
