import type { ClientMetadata } from 'oidc-provider'
import { randomSecret } from '../lib/ids.ts'
import type { App } from '../storage/port/index.ts'

/** oidc-provider requires a secret; provider.ts compares hashes instead, and nobody knows this one. */
const client_secret = randomSecret()

/** An app as client metadata for the provider. */
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
    ...(!app.public && { client_secret }),
  }
}
