import type { KoaContextWithOIDC } from 'oidc-provider'

/** What RFC 6749 §5.2 has a name of its own for, and the provider calls invalid_request. */
const renamed: Record<string, { error: string; status: number }> = {
  'requested grant type is not allowed for this client': { error: 'unauthorized_client', status: 400 },
  'no client authentication mechanism provided': { error: 'invalid_client', status: 401 },
}

export async function nameTokenErrors(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const body = ctx.body as { error_description?: string } | undefined
  const better = renamed[body?.error_description ?? '']
  if (!better) return
  ctx.body = { ...body, error: better.error }
  ctx.status = better.status
}
