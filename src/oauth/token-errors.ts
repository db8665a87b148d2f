import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { readBasic } from './client-authentication.ts'
import { describable } from './error-body.ts'
import { contextOf } from './provider-request.ts'

/**
 * RFC 6749 §5.2 has codes of its own for errors that the provider answers with invalid_request. This middleware
 * recognises them by the request, never by the provider's message. Where the request shows a usual mistake, it adds what
 * to do.
 */
export async function refineTokenErrors(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (body?.error_description !== undefined) body.error_description = describable(body.error_description)
  if (body?.error === 'invalid_request' && ctx.oidc.body !== undefined) refineInvalidRequest(ctx, body)
  if ((ctx.body as { error?: string } | undefined)?.error === 'invalid_client' && isPublic(ctx)) {
    const error_description =
      'this app is public: send client_id in the body, without client_secret and Authorization header'
    ctx.body = { ...(ctx.body as object), error_description }
  }
}

function refineInvalidRequest(ctx: KoaContextWithOIDC, provided: { error_description?: string }): void {
  const body = { ...provided, error_description: remedyFor(ctx) ?? provided.error_description }
  ctx.body = body
  if (cannotAuthenticate(ctx)) {
    ctx.body = { ...body, error: 'invalid_client' }
    ctx.status = 401
    if (ctx.headers.authorization !== undefined) {
      ctx.set('www-authenticate', `Basic realm="${ctx.oidc.issuer}", error="invalid_client"`)
    }
  } else if (asksForForbiddenGrant(ctx)) {
    ctx.body = { ...body, error: 'unauthorized_client' }
  }
}

/** Many libraries authenticate a public app by HTTP Basic with an empty password. */
function isPublic(ctx: KoaContextWithOIDC): boolean {
  const app = contextOf(ctx).client?.app
  return app?.public === true && app.disabled_at === null
}

/** The parameters of the endpoints, which some clients send in the URL. */
const fields = ['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'token']

/** What to do about a request that the provider could not read; null for one without a usual mistake. */
function remedyFor({ headers: { authorization }, query, oidc: { body } }: KoaContextWithOIDC): string | null {
  if (authorization !== undefined && !/^basic /i.test(authorization)) {
    return 'use HTTP Basic with client_id and client_secret, or send both in the body'
  }
  // RFC 6749 §2.3.1
  if (fields.some(name => name in query && !body?.[name])) {
    return 'parameters are read from the body, not from the URL'
  }
  return null
}

/**
 * The provider keeps the cause of invalid_grant from the client, which is authenticated by now and gets no cause about a
 * token of another app (exchange-adapter.ts).
 */
export function explainInvalidGrant(ctx: KoaContextWithOIDC, error: Error): void {
  if (!(error instanceof errors.InvalidGrant) || error.error_detail === undefined) return
  ctx.body = { error: error.error, error_description: describable(error.error_detail) }
}

/** The request names no client, or has an Authorization header of another scheme or without readable credentials. */
function cannotAuthenticate({ headers: { authorization }, oidc }: KoaContextWithOIDC): boolean {
  if (oidc.client) return false
  if (authorization !== undefined) {
    const basic = readBasic(authorization)
    return !basic || basic.client_id === '' || basic.client_secret === ''
  }
  // A repeated parameter is a list, and invalid_request.
  return !oidc.body?.['client_id'] && !Array.isArray(oidc.body?.['client_secret'])
}

/** The provider checks the grant type after the client and the origin, and before every other parameter. */
function asksForForbiddenGrant({ state, oidc: { route, client, params } }: KoaContextWithOIDC): boolean {
  if (state['foreignOrigin'] === true) return false
  const grant_type = params?.['grant_type']
  return route === 'token' && typeof grant_type === 'string' && client?.grantTypeAllowed(grant_type) === false
}
