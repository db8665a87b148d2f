import type { KoaContextWithOIDC } from 'oidc-provider'

/** Read by OpenID Connect, which is not spoken here; to OAuth 2.0 they are unknown, and ignored (RFC 6749 §3.1). */
const openid = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce', 'registration']

const prompts = ['none', 'login', 'consent']

/** What we add to the redirect URI. */
const answers = ['code', 'state', 'iss', 'error', 'error_description', 'scope']

/**
 * Around the authorization endpoint, where spec 5.2 is narrower than the provider: the merchant returns with query
 * parameters, in no other way, also with the error of a request that asks for another way or for a response type that
 * would come in the fragment; and the query that the app itself put into its redirect URI returns as it was written.
 */
export async function narrowAuthorization(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (!ctx.path.startsWith('/auth/v2/authorize')) return next()
  // The way back from the consent page carries nothing but its name: whatever else it brings was made up.
  ctx.query = ctx.path === '/auth/v2/authorize' ? plainRequest(ctx) : {}
  await next()
  const location = ctx.response.get('location') || ''
  const { redirect_uri } = (ctx.oidc?.params ?? {}) as { redirect_uri?: unknown }
  if (typeof redirect_uri === 'string' && URL.canParse(location)) {
    const target = new URL(location)
    if (target.origin === new URL(redirect_uri).origin) ctx.redirect(returning(redirect_uri, target))
  }
}

function plainRequest(ctx: KoaContextWithOIDC): KoaContextWithOIDC['query'] {
  const { response_mode, ...query } = ctx.query
  if (response_mode !== undefined && response_mode !== 'query') ctx.state['refusedResponseMode'] = true
  for (const name of openid) delete query[name]
  if (typeof query['prompt'] === 'string' && !prompts.includes(query['prompt'])) delete query['prompt']
  return query
}

export const askedForAnotherMode = (ctx: KoaContextWithOIDC): boolean =>
  ctx.state['refusedResponseMode'] === true

/** Our parameters, which the provider put into the query or the fragment, behind what the app registered and added. */
function returning(redirect_uri: string, target: URL): string {
  const given = target.hash === '' ? target.searchParams : new URLSearchParams(target.hash.slice(1))
  const added = new URLSearchParams()
  for (const name of answers) {
    const value = given.get(name)
    if (value !== null) added.set(name, value)
  }
  return answerAddress(redirect_uri, added)
}

/** What the app registered and added stays as it was written. */
export const answerAddress = (redirect_uri: string, answer: URLSearchParams): string =>
  `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${answer}`
