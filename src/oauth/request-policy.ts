import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { allowedForGrant, type GrantType, splitScope } from '../contract/scopes.ts'
import { describeError, hasUnsupportedResponseMode } from './authorize-request.ts'

/** The parameter of a pending request with the app's scopes when it began. It overwrites a value that the app sends. */
export const scopesParameter = 'tillgate_scopes'

const onlyStore =
  'ask for integration.store alone: the consent covers every scope of the app, and orders and items are read with a client_credentials token'

/** Spec section 5 beyond the protocol, at the two endpoints where a client requests scopes. */
export function applyRequestPolicy(ctx: KoaContextWithOIDC, client: Client): void {
  const params = ctx.oidc.params as Record<string, string | undefined>
  const grant = grantOf(ctx)
  if (grant === null) return
  if (ctx.oidc.route === 'authorization') {
    checkAuthorizationRequest(ctx, params)
    // The merchant decides on what the page shows, also when the app gets another scope meanwhile.
    params[scopesParameter] = client.scope
  }
  const registered = splitScope(client.scope ?? '')
  const requested = splitScope(sentScope(ctx) ?? params['scope'] ?? '')
  if (requested.length === 0) {
    if (ctx.oidc.route === 'token' && grant === 'authorization_code')
      return checkGranted(ctx, ctx.oidc.entities.AuthorizationCode)
    // Without a scope, a client gets all its scopes that the grant type allows.
    const granted = registered.filter(scope => allowedForGrant(scope, grant))
    if (granted.length === 0)
      throw new errors.InvalidScope('the app has no scope for this grant type', client.scope ?? '')
    params['scope'] = granted.join(' ')
    return
  }
  for (const scope of requested) {
    const problem = scopeProblem(scope, registered, grant)
    if (problem !== null) throw new errors.InvalidScope(problem, scope)
  }
}

function scopeProblem(scope: string, registered: readonly string[], grant: GrantType): string | null {
  if (!registered.includes(scope))
    return scope.includes(',') ? 'scopes are separated by spaces' : 'the app is not registered for this scope'
  // Spec 5.1
  return allowedForGrant(scope, grant) ? null : onlyStore
}

/** The provider checks the scopes that it knows before it calls the policy, and would describe the same fault otherwise. */
export function explainScope(ctx: KoaContextWithOIDC, error: Error): void {
  if (!(error instanceof errors.InvalidScope)) return
  const registered = splitScope(ctx.oidc.client?.scope ?? '')
  for (const scope of splitScope(sentScope(ctx) ?? '')) {
    const problem = scopeProblem(scope, registered, 'authorization_code')
    if (problem !== null) return describeError(ctx, problem)
  }
}

/** The app may have lost the scope of its code or refresh token; a scope that it has lost is no longer granted either. */
export function checkGranted({ oidc }: KoaContextWithOIDC, token?: { scopes: Set<string> }): void {
  const granted = splitScope(oidc.entities.Grant?.getResourceScope(oidc.issuer) ?? '')
  for (const scope of token?.scopes ?? []) {
    if (!granted.includes(scope))
      throw new errors.InvalidScope('the app lost this scope: the merchant must connect it again', scope)
  }
}

function checkAuthorizationRequest(
  ctx: KoaContextWithOIDC,
  params: Record<string, string | undefined>,
): void {
  // The provider reads the values as a set and accepts `code code`.
  if (ctx.query['response_type'] !== 'code') throw new errors.UnsupportedResponseType()
  // Spec 5.2: required here, unlike at the token endpoint.
  if (!params['scope']) throw new errors.InvalidRequest('scope is required')
  if (hasUnsupportedResponseMode(ctx)) throw new errors.InvalidRequest('the only response_mode is query')
}

/** As the client sent it: the provider drops OpenID Connect scopes, and every scope when a code is exchanged. */
function sentScope({ oidc, query }: KoaContextWithOIDC): string | undefined {
  const { scope } = (oidc.route === 'token' ? oidc.body : oidc.route === 'authorization' ? query : {}) as {
    scope?: unknown
  }
  return typeof scope === 'string' ? scope : undefined
}

/** Null where the policy does not apply: the provider checks a refresh against the scope of its token. */
function grantOf({ oidc }: KoaContextWithOIDC): GrantType | null {
  if (oidc.route === 'authorization' || oidc.route === 'resume') return 'authorization_code'
  const { grant_type } = oidc.params as { grant_type?: string }
  if (oidc.route !== 'token' || (grant_type !== 'client_credentials' && grant_type !== 'authorization_code'))
    return null
  return grant_type
}
