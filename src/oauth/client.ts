import type { ClientMetadata } from 'oidc-provider'
import type { App } from '../storage/port/index.ts'

/** An app as the provider knows clients. */
export function clientMetadata(app: App): ClientMetadata {
  const redirects = app.redirect_uris.length > 0
  return {
    client_id: app.id,
    client_name: app.name,
    scope: app.scope,
    redirect_uris: app.redirect_uris,
    response_types: redirects ? ['code'] : [],
    grant_types: [
      ...(redirects ? ['authorization_code', 'refresh_token'] : []),
      ...(app.public ? [] : ['client_credentials']),
    ],
    token_endpoint_auth_method: app.public ? 'none' : 'client_secret_basic',
    // The provider insists on one; ours are hashed, and compared by us.
    ...(!app.public && { client_secret: 'kept as a hash' }),
  }
}
