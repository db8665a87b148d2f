import type { IncomingHttpHeaders } from 'node:http'
import type { Client } from 'oidc-provider'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import { allowedForGrant, splitScope } from '../contract/scopes.ts'
import type { AppSecret, ClientFacts } from '../storage/port/index.ts'
import { readBasic } from './client-authentication.ts'
import type { ProviderSource } from './provider-source.ts'
import { resourceServer } from './provider.ts'

interface TokenRequest {
  form: URLSearchParams
  headers: Pick<IncomingHttpHeaders, 'authorization' | 'content-type' | 'origin'>
  /** The client that the request names, in the form or in the Authorization header. */
  client: ClientFacts
}

interface TokenResponse {
  access_token: string
  expires_in: number
  scope: string
  token_type: string
}

export type IssueOwnToken = (request: TokenRequest) => Promise<TokenResponse | null>

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
export function createIssueOwnToken({ providers, issuer, verifySecret }: Deps): IssueOwnToken {
  const api = resourceServer(issuer)
  return async ({ form, headers, client: { app, secrets, keys_state } }) => {
    if (!isPlain(form) || !formType.test(headers['content-type'] ?? '') || headers.origin !== undefined)
      return null
    if (!app || app.public || app.disabled_at !== null) return null
    const scope = grantedScope(app.scope, form.get('scope'))
    const secret = secretOf(form, headers.authorization)
    if (scope === null || secret === null || !(await verifySecret(app.id, secret, secrets))) return null
    const { ClientCredentials, ResourceServer } = await providers.current(keys_state)
    const token = new ClientCredentials({
      // All that the model reads of the client.
      client: { clientId: app.id } as Client,
      resourceServer: new ResourceServer(issuer, api),
      scope,
    })
    return {
      access_token: await token.save(),
      expires_in: accessTokenLifetime,
      scope,
      token_type: token.tokenType,
    }
  }
}

const formType = /^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i

const parameters = new Set(['grant_type', 'client_id', 'client_secret', 'scope'])

/** Of this grant type, and without an unknown or repeated parameter. */
function isPlain(form: URLSearchParams): boolean {
  if (form.get('grant_type') !== 'client_credentials') return false
  const names = [...form.keys()]
  return names.every(name => parameters.has(name)) && new Set(names).size === names.length
}

/** Null without one, and for a request with an Authorization header that names its client in the form too. */
function secretOf(form: URLSearchParams, authorization: string | undefined): string | null {
  if (authorization === undefined) return form.get('client_secret')
  if (form.has('client_id') || form.has('client_secret')) return null
  return readBasic(authorization)?.client_secret ?? null
}

/** Without a request for any, all that the app has; null when one cannot be granted or is repeated. */
function grantedScope(registered: string, requested: string | null): string | null {
  const allowed = splitScope(registered).filter(name => allowedForGrant(name, 'client_credentials'))
  const scopes = requested?.split(' ') ?? allowed
  const isGranted = scopes.every((name, at) => allowed.includes(name) && scopes.indexOf(name) === at)
  return isGranted && scopes.length > 0 ? scopes.join(' ') : null
}
