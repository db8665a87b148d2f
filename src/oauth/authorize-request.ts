import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { describable } from './error-body.ts'

/** Parameters of OpenID Connect, which Tillgate does not implement; RFC 6749 §3.1 ignores unknown parameters. */
const openid = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce', 'registration']

const prompts = ['none', 'login', 'consent']

/** The parameters of an authorization response. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'scope']

/**
 * Middleware of the provider for spec 5.2: every response, also an error, is in the query of the redirect URI, whatever
 * response mode or type the request names; the query that the app added to its redirect URI comes back unchanged.
 */
export async function narrowAuthorization(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (!ctx.path.startsWith('/auth/v2/authorize')) return next()
  // The redirect back from the consent page has no query; a client made up any that comes.
  ctx.query = ctx.path === '/auth/v2/authorize' ? oauthQuery(ctx) : {}
  await next()
  const location = ctx.response.get('location') || ''
  const { redirect_uri } = (ctx.oidc?.params ?? {}) as { redirect_uri?: unknown }
  if (typeof redirect_uri === 'string' && URL.canParse(location)) {
    const target = new URL(location)
    if (target.origin === new URL(redirect_uri).origin) ctx.redirect(responseUri(ctx, redirect_uri, target))
  }
}

function oauthQuery(ctx: KoaContextWithOIDC): KoaContextWithOIDC['query'] {
  const { response_mode, ...query } = ctx.query
  if (response_mode !== undefined && response_mode !== 'query') ctx.state['unsupportedResponseMode'] = true
  for (const name of openid) delete query[name]
  if (typeof query['prompt'] === 'string' && !prompts.includes(query['prompt'])) delete query['prompt']
  return query
}

export const hasUnsupportedResponseMode = (ctx: KoaContextWithOIDC): boolean =>
  ctx.state['unsupportedResponseMode'] === true

/** Replaces the description of the error in the redirect. */
export const describeError = (ctx: KoaContextWithOIDC, description: string): void =>
  void (ctx.state['errorDescription'] = description)

/** Moves the response parameters from the provider's query or fragment to the query of the redirect URI. */
function responseUri(ctx: KoaContextWithOIDC, redirect_uri: string, target: URL): string {
  const given = target.hash === '' ? target.searchParams : new URLSearchParams(target.hash.slice(1))
  const description: unknown = ctx.state['errorDescription']
  if (typeof description === 'string') given.set('error_description', description)
  const added = new URLSearchParams()
  for (const name of responseParameters) {
    const value = given.get(name)
    if (value !== null) added.set(name, name === 'error_description' ? describable(value) : value)
  }
  return withResponse(redirect_uri, added)
}

/** The redirect URI stays as the app wrote it. */
export const withResponse = (redirect_uri: string, response: URLSearchParams): string =>
  `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${response}`

/** Why a request gets a page instead of a redirect, for the page and for the request log of the app. */
export function pageReason({ oidc }: KoaContextWithOIDC, error: Error): string {
  if (error instanceof errors.InvalidClient) return 'No app has this client_id'
  if (error instanceof errors.InvalidRedirectUri) {
    const { redirect_uri } = oidc.params as { redirect_uri: string }
    return (
      `The redirect_uri ${shownUri(redirect_uri)} is not registered for the app. It must match letter by letter: scheme, ` +
      'host (localhost is not 127.0.0.1), port, path and a / at its end; only a query may be added, without parameters of the response'
    )
  }
  const { error_description } = error as { error_description?: string }
  return error_description ?? 'The app that sent you here made a request that this server cannot answer'
}

const longestShown = 200

/** Without its query and fragment, which may hold secrets, and without spaces, with which it could pass for a message of this server. */
function shownUri(uri: string): string {
  const [base = ''] = uri.split(/[?#]/, 1)
  const cut = base.length < uri.length || base.length > longestShown ? '…' : ''
  return (
    base
      .slice(0, longestShown)
      .toWellFormed()
      .replace(/[^!-~]/gu, encodeURIComponent) + cut
  )
}
