import Provider, {
  type Client,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider'
import { accessTokenLifetime, refreshTokenLifetime } from '../contract/lifetimes.ts'
import { scopes } from '../contract/scopes.ts'
import { matches } from '../domain/apps/redirect-uri.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppSecret, Key, Storage } from '../storage/port/index.ts'
import { createAdapter } from './adapter.ts'
import { narrowAuthorization } from './authorize-request.ts'
import { afterAnswer } from './after-answer.ts'
import { signingAlgorithm } from './bearer.ts'
import { bindToBrowser, browserParameter } from './browser-binding.ts'
import { currentExchange } from './exchange.ts'
import { codeLifetime, interactionLifetime } from './lifetimes.ts'
import { trimMetadata } from './metadata.ts'
import { contextOf, currentClient } from './provider-request.ts'
import { applyRequestPolicy, checkGranted, explainScope, scopesParameter } from './request-policy.ts'
import { explainInvalidGrant, refineTokenErrors } from './token-errors.ts'

export interface ProviderDeps {
  storage: Storage
  clock: Clock
  issuer: string
  /** Cookies are sent over https only. */
  secure: boolean
  verifySecret(app_id: string, secret: string, live?: readonly AppSecret[]): Promise<boolean>
  renderError(ctx: KoaContextWithOIDC, error: Error): Promise<void>
}

/** The consent page, console/consent/consent.ts. */
export const consentPath = (uid: string): string => `/consent/${uid}`

/** The authorization request of a consent page; null for every other path. */
export const consentUid = (path: string): string | null => /^\/consent\/([\w-]+)$/.exec(path)?.[1] ?? null

/** The API as the only resource. Every scope: request-policy.ts decides which of them a client gets. */
export const resourceServer = (issuer: string): ResourceServer => ({
  scope: Object.keys(scopes).join(' '),
  audience: issuer,
  accessTokenFormat: 'jwt',
  accessTokenTTL: accessTokenLifetime,
  jwt: { sign: { alg: signingAlgorithm } },
})

/** Spec section 5 as configuration of oidc-provider. README.md lists the places that rely on its internals. */
export function createProvider(deps: ProviderDeps, signing: Key[], cookieKeys: string[]): Provider {
  const { storage, clock, issuer, secure, verifySecret } = deps
  const issuerOrigin = new URL(issuer).origin
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true, overwrite: true } as const

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
      // __Host- requires the path /, and the first two have a path for each request (browser-binding.ts).
      names: {
        interaction: `${secure ? '__Secure-' : ''}tillgate_interaction`,
        resume: `${secure ? '__Secure-' : ''}tillgate_resume`,
        session: `${secure ? '__Host-' : ''}tillgate_oauth`,
      },
      short: cookie,
      long: cookie,
    },
    scopes: Object.keys(scopes),
    extraParams: [browserParameter, scopesParameter],
    responseTypes: ['code'],
    // Spec 5.2: required, also of an app that has only one.
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // RFC 9700 §2.1.1: a public client has no other proof.
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    // Script gets tokens on the pages of a public app (http/edge/cors.ts), and on this server's own API reference.
    clientBasedCORS: (ctx, origin) => {
      const isAllowed = origin === issuerOrigin || contextOf(ctx).cors !== undefined
      ctx.state['foreignOrigin'] = !isAllowed
      return isAllowed
    },
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    // The same clock issues and checks expiry times.
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
          // The provider calls this before it reads the scope, at every endpoint that takes one.
          applyRequestPolicy(ctx, client)
          return resourceServer(issuer)
        },
      },
    },
    // Spec 5.3 rule 2: every code and every refresh gives a refresh token that works once.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The provider calls this just before it consumes the token, and checks the resource only afterwards. A bad request
    // must not cost an app its token.
    rotateRefreshToken: ctx => {
      checkGranted(ctx, ctx.oidc.entities.RefreshToken)
      for (const resource of [ctx.oidc.params?.['resource'] ?? []].flat()) checkResource(resource)
      return true
    },
    // Tokens end by expiry or revocation, not when the merchant signs out.
    expiresWithSession: async () => false,
    // Revoking a refresh token ends the authorization; revoking an access token, or a second use, does not.
    revokeGrantPolicy: ctx => ctx.oidc.route === 'revocation' && ctx.oidc.entities.AccessToken === undefined,
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
    extraTokenClaims: async (_ctx, token) => {
      if (token.kind !== 'AccessToken') return undefined
      const { id, generation } = currentExchange().family
      return { authorization_id: token.grantId, family: id, generation }
    },
    formats: {
      customizers: {
        // The time of the injected clock, not of the system's.
        jwt: async (_ctx, _token, parts) => {
          const iat = clock.now()
          Object.assign(parts.payload as object, { iat, exp: iat + accessTokenLifetime })
        },
      },
    },
    renderError: async (ctx, _out, error) => {
      contextOf(ctx).shown = error
      await deps.renderError(ctx, error)
    },
  })

  // Secrets are stored as hashes, and redirect URIs may add a query: oidc-provider has no option for either.
  provider.Client.prototype.compareClientSecret = function (this: Client, secret: string) {
    return verifySecret(this.clientId, secret, currentClient(this.clientId)?.secrets)
  }
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    return matches(uri, this.redirectUris ?? [])
  }
  // ProviderRequest sets the headers of a trusted proxy, so that every address is the issuer's.
  provider.proxy = true
  provider.on('grant.error', explainInvalidGrant)
  provider.on('authorization.error', explainScope)
  provider.use(trimMetadata)
  provider.use(limitCors)
  provider.use(narrowAuthorization)
  provider.use(bindToBrowser(secure))
  provider.use(answerRevocation)
  provider.use(refineTokenErrors)
  // Last, so that on the way out it runs first: the others see the status that it may set.
  provider.use(afterAnswer(deps))
  return provider
}

/** The provider lets every origin read an answer until it knows the client. JWKS and metadata are for everybody. */
async function limitCors(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.method !== 'POST') return
  ctx.remove('access-control-allow-origin')
  ctx.remove('access-control-expose-headers')
  ctx.set(contextOf(ctx).cors ?? {})
}

/** The provider's body is empty text, which clients that expect JSON cannot read; RFC 7009 §2.2 ignores the body. */
async function answerRevocation(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.body = {}
}

const ownToken = async (
  _ctx: unknown,
  client: Client,
  token: { clientId?: string | undefined },
): Promise<boolean> => token.clientId === client.clientId

/** Every request goes through the consent page once, which also signs the merchant in. */
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
