import type { KoaContextWithOIDC } from 'oidc-provider'
import { readBasic } from './client-authentication.ts'

/**
 * RFC 6749 §5.2 has codes of its own for two errors that the provider answers with invalid_request. This
 * middleware recognises them by the request, never by the provider's message.
 */
export async function refineTokenErrors(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const body = ctx.body as { error?: string } | undefined
  if (body?.error !== 'invalid_request') return
  if (namesNoClient(ctx)) {
    ctx.body = { ...body, error: 'invalid_client' }
    ctx.status = 401
  } else if (asksForForbiddenGrant(ctx)) {
    ctx.body = { ...body, error: 'unauthorized_client' }
  }
}

/** A repeated parameter, two ways to authenticate and an unreadable header are invalid_request. */
function namesNoClient({ headers: { authorization }, oidc }: KoaContextWithOIDC): boolean {
  if (!oidc.body || oidc.body['client_id']) return false
  const { client_secret } = oidc.body
  if (client_secret) return !authorization && typeof client_secret === 'string'
  if (authorization === undefined) return true
  const basic = readBasic(authorization)
  return basic?.client_id === '' && basic.client_secret !== ''
}

/** The provider checks the grant type after the client and the origin, and before every other parameter. */
function asksForForbiddenGrant({ state, oidc: { route, client, params } }: KoaContextWithOIDC): boolean {
  if (state['foreignOrigin'] === true) return false
  const grant_type = params?.['grant_type']
  return route === 'token' && typeof grant_type === 'string' && client?.grantTypeAllowed(grant_type) === false
}
