import Provider, { type Client, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { accessTokenLifetime, refreshTokenLifetime } from '../contract/lifetimes.ts'
import { scopes } from '../contract/scopes.ts'
import { matches } from '../domain/apps/redirect-uri.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppSecret, Key, Storage } from '../storage/port/index.ts'
import { createAdapter } from './adapter.ts'
import { narrowAuthorization } from './authorize-request.ts'
import { signingAlgorithm } from './bearer.ts'
import { bindToBrowser, browserParameter } from './browser-binding.ts'
import { codeLifetime, interactionLifetime } from './lifetimes.ts'
import { trimMetadata } from './metadata.ts'
import type { PresentedTokens } from './presented-tokens.ts'
import { callBeforeAnswer, factsOf } from './provider-request.ts'
import { applyRequestPolicy } from './request-policy.ts'
import { nameTokenErrors } from './token-errors.ts'

export interface ProviderDeps {
  storage: Storage
  clock: Clock
  issuer: string
  /** Cookies over https alone. */
  secure: boolean
  presented: PresentedTokens
  verifySecret(app_id: string, secret: string, live?: readonly AppSecret[]): Promise<boolean>
  renderError(ctx: KoaContextWithOIDC, error: Error): void
}

/** Where the merchant decides; the page itself is console/consent/consent.ts. */
export const consentPath = (uid: string): string => `/consent/${uid}`

/** The request that a path of ours is the consent page of; null for every other path. */
export const consentUid = (path: string): string | null => /^\/consent\/([\w-]+)$/.exec(path)?.[1] ?? null

/** Spec section 5 as configuration of a certified provider: policy is ours, protocol is its own. */
export function createProvider(deps: ProviderDeps, signing: Key[], cookieKeys: string[]): Provider {
  const { storage, clock, issuer, secure, verifySecret } = deps
  const issuerOrigin = new URL(issuer).origin
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true, overwrite: true } as const
  // All scopes there are; which of them a client gets is the request policy's.
  const resourceServer = {
    scope: Object.keys(scopes).join(' '),
    audience: issuer,
    accessTokenFormat: 'jwt',
    accessTokenTTL: accessTokenLifetime,
    jwt: { sign: { alg: signingAlgorithm } },
  } as const

  const checkResource = (resource: unknown): void => {
    if (resource !== issuer) throw new errors.InvalidTarget(`the only resource here is ${issuer}`)
  }

  const provider = new Provider(issuer, {
    adapter: createAdapter(deps),
    jwks: { keys: signing.map(key => JSON.parse(key.secret)) },
    routes: {
      authorization: '/auth/v2/authorize',
      token: '/auth/v2/token',
      revocation: '/auth/v2/revoke',
      introspection: '/auth/v2/introspect',
      jwks: '/auth/v2/jwks',
    },
    cookies: {
      keys: cookieKeys,
      // The first two belong to a path of one request each, which __Host- does not allow (browser-binding.ts).
      names: {
        interaction: `${secure ? '__Secure-' : ''}tillgate_interaction`,
        resume: `${secure ? '__Secure-' : ''}tillgate_resume`,
        session: `${secure ? '__Host-' : ''}tillgate_oauth`,
      },
      short: cookie,
      long: cookie,
    },
    scopes: Object.keys(scopes),
    extraParams: [browserParameter],
    responseTypes: ['code'],
    // Spec 5.2: required, also of an app that has only one.
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // RFC 9700 §2.1.1: a public client has nothing else to prove itself with.
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    // Script gets tokens from a page of ours, the API reference, and from no other: elsewhere an app's server asks.
    clientBasedCORS: (_ctx, origin) => origin === issuerOrigin,
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    // What expires here was made by the same clock.
    clockTolerance: 0,
    ttl: {
      AccessToken: accessTokenLifetime,
      ClientCredentials: accessTokenLifetime,
      AuthorizationCode: codeLifetime,
      RefreshToken: refreshTokenLifetime,
      Interaction: interactionLifetime,
      Grant: accessTokenLifetime,
      Session: interactionLifetime,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: ownToken },
      introspection: { enabled: true, allowedPolicy: ownToken },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource, client) => {
          checkResource(resource)
          // Called wherever scopes are asked for, with the client known and before they are checked or used.
          applyRequestPolicy(ctx, client)
          return resourceServer
        },
      },
    },
    // Spec 5.3 rule 2: every code and every refresh gives a refresh token of one use.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The provider asks just before the token is used up, and looks at the resource only then.
    rotateRefreshToken: ctx => {
      for (const resource of [ctx.oidc.params?.['resource'] ?? []].flat()) checkResource(resource)
      return true
    },
    // Tokens end by their own time or by revocation, not when the merchant signs out.
    expiresWithSession: async () => false,
    // An app that throws one access token away keeps its authorization; one that throws its refresh token away does not.
    revokeGrantPolicy: ctx => ctx.oidc.route !== 'revocation' || ctx.oidc.entities.AccessToken === undefined,
    interactions: { policy: alwaysAsk(), url: (_ctx, interaction) => consentPath(interaction.uid) },
    loadExistingGrant: async ctx => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    findAccount: async (_ctx, id) => {
      const account = await storage.accounts.find(id)
      if (!account || account.disabled_at !== null) return undefined
      return { accountId: id, claims: async () => ({ sub: id }) }
    },
    extraTokenClaims: async (_ctx, token) =>
      token.kind === 'AccessToken' ? { authorization_id: token.grantId } : undefined,
    formats: {
      customizers: {
        // The injected clock's time, not the machine's.
        jwt: async (_ctx, _token, parts) => {
          const iat = clock.now()
          Object.assign(parts.payload as object, { iat, exp: iat + accessTokenLifetime })
        },
      },
    },
    renderError: async (ctx, _out, error) => deps.renderError(ctx, error),
  })

  provider.Client.prototype.compareClientSecret = function (this: Client, secret: string) {
    return verifySecret(this.clientId, secret, factsOf(Provider.ctx, this.clientId)?.secrets) as never
  }
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    return matches(uri, this.redirectUris ?? [])
  }
  // Addresses are pinned to the issuer by the route in front (http/oauth), which speaks as a trusted proxy.
  provider.proxy = true
  provider.use(trimMetadata)
  provider.use(narrowAuthorization)
  provider.use(bindToBrowser(secure))
  provider.use(nameTokenErrors)
  provider.use(callBeforeAnswer)
  return provider
}

const ownToken = async (
  _ctx: unknown,
  client: Client,
  token: { clientId?: string | undefined },
): Promise<boolean> => token.clientId === client.clientId

/** Sign-in is ours and consent is always shown, so every request goes through the consent page, once. */
function alwaysAsk() {
  const { base, Check } = interactionPolicy
  const policy = base()
  for (const name of ['login', 'consent'] as const) {
    const prompt = policy.get(name)
    if (!prompt) throw new Error(`oidc-provider's policy has no ${name} prompt`)
    prompt.checks.clear()
    prompt.checks.add(
      new Check(
        `${name}_always`,
        'the merchant decides on every request',
        ctx => ctx.oidc.result?.[name] === undefined,
      ),
    )
  }
  return policy
}
