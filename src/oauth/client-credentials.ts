import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import type { Client } from 'oidc-provider'
import { allowedForGrant, splitScope } from '../contract/scopes.ts'
import type { AppSecret, ClientFacts } from '../storage/port/index.ts'
import { readBasic } from './client-authentication.ts'
import type { ProviderSource } from './provider-source.ts'
import { resourceServer } from './provider.ts'

interface TokenRequest {
  body: Buffer
  headers: IncomingHttpHeaders
  /** The client that the request names, in the form or in the Authorization header. */
  client: ClientFacts
}

interface TokenResponse {
  access_token: string
  expires_in: number
  scope: string
  token_type: string
}

export type IssueClientToken = (request: TokenRequest) => Promise<TokenResponse | null>

interface Deps {
  providers: ProviderSource
  issuer: string
  verifySecret(app_id: string, secret: string, live: readonly AppSecret[]): Promise<boolean>
}

/**
 * Issues the token of a plain client_credentials request with the provider's model of such tokens, but without its request
 * handling, which takes as long as everything else together (docs/performance.md). Null for every other request, above all
 * for every one that is refused: the provider answers those.
 */
export function createIssueClientToken({ providers, issuer, verifySecret }: Deps): IssueClientToken {
  const api = resourceServer(issuer)
  return async ({ body, headers, client: { app, secrets, keys_state } }) => {
    const form = plainForm(body, headers)
    if (!form || !app || app.public || app.disabled_at !== null) return null
    const scope = grantedScope(app.scope, form.scope)
    const credentials = credentialsOf(form, headers.authorization)
    if (scope === null || credentials?.client_id !== app.id) return null
    if (!(await verifySecret(app.id, credentials.client_secret, secrets))) return null
    const { ClientCredentials, ResourceServer } = await providers.current(keys_state)
    const token = new ClientCredentials({
      // All that the model reads of the client.
      client: { clientId: app.id } as Client,
      resourceServer: new ResourceServer(issuer, api),
      scope,
    })
    return {
      access_token: await token.save(),
      expires_in: token.expiration,
      scope,
      token_type: token.tokenType,
    }
  }
}

const formType = /^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i

/** With them the provider does more than read the form: CORS, and client authentication by an attestation. */
const unusualHeaders = ['origin', 'oauth-client-attestation', 'oauth-client-attestation-pop']

type Form = Partial<Record<'grant_type' | 'client_id' | 'client_secret' | 'scope', string>>
const parameters = ['grant_type', 'client_id', 'client_secret', 'scope']

/** The form as the provider reads it; null if the request has any other parameter, a repeated one or an unusual header. */
function plainForm(body: Buffer, headers: IncomingHttpHeaders): Form | null {
  if (!formType.test(headers['content-type'] ?? '') || unusualHeaders.some(name => name in headers))
    return null
  const form = parse(body.toString())
  const isPlain = Object.entries(form).every(
    ([name, value]) => parameters.includes(name) && !Array.isArray(value),
  )
  return isPlain && form['grant_type'] === 'client_credentials' ? (form as Form) : null
}

/** Null without them, and for a request with an Authorization header that has some in the form too. */
function credentialsOf({ client_id, client_secret }: Form, authorization: string | undefined) {
  if (authorization === undefined)
    return client_id !== undefined && client_secret !== undefined ? { client_id, client_secret } : null
  return client_id === undefined && client_secret === undefined ? readBasic(authorization) : null
}

/** Without a request for any, all that the app has; null when one cannot be granted or is repeated. */
function grantedScope(registered: string, requested: string | undefined): string | null {
  const allowed = splitScope(registered).filter(name => allowedForGrant(name, 'client_credentials'))
  const scopes = requested?.split(' ') ?? allowed
  const isGranted = scopes.every((name, at) => allowed.includes(name) && scopes.indexOf(name) === at)
  return isGranted && scopes.length > 0 ? scopes.join(' ') : null
}
