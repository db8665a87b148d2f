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
  'revocation_endpoint_auth_methods_supported',
  'introspection_endpoint',
  'introspection_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'service_documentation',
])

export const metadataPath = '/.well-known/oauth-authorization-server'

export async function trimMetadata(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.path !== metadataPath || typeof ctx.body !== 'object') return
  const metadata = Object.entries(ctx.body as Record<string, unknown>).filter(([name]) => fields.has(name))
  ctx.body = {
    ...Object.fromEntries(metadata),
    // Third parties cannot register for the platform's scope.
    scopes_supported: (ctx.body as { scopes_supported: string[] }).scopes_supported.filter(scope =>
      scope.startsWith('integration.'),
    ),
    response_modes_supported: ['query'],
    service_documentation: `${ctx.oidc.issuer}/docs`,
  }
}
