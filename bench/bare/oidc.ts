import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'

// The limit for tokens: oidc-provider with its in-memory adapter, issuing JWTs of the same kind.
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const resource = 'https://api.example.com'
const provider = new Provider('http://127.0.0.1', {
  clients: [
    {
      client_id: 'reader',
      client_secret: 'secret-of-the-reader',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['integration.order'],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: 'integration.order',
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 172_800,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})
const server = provider.listen(0, '127.0.0.1', () =>
  process.send?.((server.address() as { port: number }).port),
)
