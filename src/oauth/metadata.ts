import type { KoaContextWithOIDC } from 'oidc-provider'

/** The fields of RFC 8414 §2; the provider's other fields are OpenID Connect, which Tillgate does not implement. */
const fields = new Set([
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'scopes_supported',
  'response_types_supported',
  'response_modes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint',
  'introspection_endpoint',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'service_documentation',
])

interface Given {
  scopes_supported: string[]
  token_endpoint_auth_methods_supported: string[]
}

export const metadataPath = '/.well-known/oauth-authorization-server'

export async function trimMetadata(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.path !== metadataPath || typeof ctx.body !== 'object') return
  const given = ctx.body as Given
  const methods = given.token_endpoint_auth_methods_supported
  ctx.body = {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => fields.has(name))),
    // The provider leaves these two out: a client would assume client_secret_basic, which a public app cannot use.
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    // Third parties cannot register for the platform's scope.
    scopes_supported: given.scopes_supported.filter(scope => scope.startsWith('integration.')),
    response_modes_supported: ['query'],
    service_documentation: `${ctx.oidc.issuer}/docs`,
  }
}
