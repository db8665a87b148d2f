import { type Adapter, type AdapterPayload, errors, type InteractionResults, Provider } from 'oidc-provider'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import { allowedForGrant, commonScopes, splitScope } from '../contract/scopes.ts'
import { auditEntry, byApp, byServer } from '../domain/audit/audit.ts'
import { matches } from '../domain/apps/redirect-uri.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import type { Decision, Storage } from '../storage/port/index.ts'
import { clientMetadata } from './client.ts'
import { codes, refreshTokens, refuse } from './exchange-adapter.ts'
import { interactionLifetime } from './lifetimes.ts'
import { currentClient, currentContext } from './provider-request.ts'
import { toSystemTime } from './system-time.ts'
import { verifiedTokenHandle } from './verified-token.ts'

export interface AdapterDeps {
  storage: Storage
  clock: Clock
  issuer: string
}

/** Only revocation ends a grant. */
const grantLifetime = 100 * 365 * 86_400

/**
 * The provider's storage. It stores only codes, refresh tokens and interactions, by the hash of their value. A client is
 * an app and a grant is an authorization. Access tokens are JWTs and not stored; sessions are not used.
 */
export function createAdapter(deps: AdapterDeps): (kind: string) => Adapter {
  return kind => {
    switch (kind) {
      case 'Client':
        return apps(deps)
      case 'Grant':
        return authorizations(deps)
      case 'AccessToken':
      case 'ClientCredentials':
        return accessTokens(kind, deps)
      case 'AuthorizationCode':
        return { ...unused, ...codes(deps) }
      case 'RefreshToken':
        return { ...unused, ...refreshTokens(deps) }
      case 'Interaction':
        return interactions(deps)
      case 'Session':
        return unused
      default:
        return artifacts(kind, deps)
    }
  }
}

const nothing = async (): Promise<undefined> => undefined

/** Methods that a model does not need. */
const unused: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  // Every use of a token looks its grant up, so a revoked grant ends its tokens.
  revokeByGrantId: nothing,
}

function apps({ storage }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(id) {
      const client = currentClient(id)
      const app = client ? client.app : await storage.apps.find(id)
      return app && app.disabled_at === null ? (clientMetadata(app) as AdapterPayload) : undefined
    },
  }
}

function authorizations({ storage, clock, issuer }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(id) {
      const authorization = await storage.authorizations.find(id)
      if (!authorization || authorization.revoked_at !== null || authorization.account_id === null)
        return refuse('the authorization by the merchant has ended')
      return {
        kind: 'Grant',
        jti: id,
        accountId: authorization.account_id,
        clientId: authorization.app_id,
        resources: { [issuer]: ofCodeGrant(authorization.scope) },
        iat: authorization.created_at,
        exp: authorization.created_at + grantLifetime,
      } as AdapterPayload
    },
    async destroy(id) {
      const { app_id = null, account_id = null } = (await storage.authorizations.find(id)) ?? {}
      const detail = 'the app revoked its refresh token'
      const entry = auditEntry(clock, currentApp(), 'access_revoked', { app_id, account_id, detail })
      await storage.authorizations.revoke(id, clock.now(), entry)
    },
  }
}

/** Spec 5.1: the other scopes of an authorization are for the app's own token. */
const ofCodeGrant = (scope: string): string =>
  splitScope(scope)
    .filter(name => allowedForGrant(name, 'authorization_code'))
    .join(' ')

/** The app that sent the current request. */
function currentApp() {
  const client = Provider.ctx?.oidc.client
  const app = { id: client?.clientId ?? '', name: client?.clientName ?? null }
  return byApp(app, currentContext()?.from ?? byServer)
}

function accessTokens(kind: string, { storage, clock }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = value === verifiedTokenHandle ? currentContext()?.token : null
      if (token?.kind !== kind) return undefined
      // The app may have lost a scope that the token carries.
      const { app } = currentClient(String(token.clientId)) ?? {}
      return app ? { ...token, scope: commonScopes(String(token.scope), app.scope) } : token
    },
    async destroy(jti) {
      await storage.revokedTokens.add(jti, clock.now() + accessTokenLifetime)
    },
  }
}

/** A pending request. Its result is the stored decision, so the app learns what the database holds. */
function interactions(deps: AdapterDeps): Adapter {
  const { storage, clock } = deps
  const stored = artifacts('Interaction', deps)
  return {
    ...stored,
    async find(id) {
      const [found, decision] = await Promise.all([
        stored.find(id),
        storage.decisions.find(sha256(id), clock.now()),
      ])
      const resumes = Provider.ctx?.oidc.route === 'resume'
      // The provider would begin the request anew, and a decision on the first one would stay without an answer.
      if (!found || !decision) return resumes ? undefined : found
      // The developer may have removed the address since, perhaps because it is not theirs any more.
      if (resumes && !(await maySendTo(found.params))) return undefined
      return { result: await resultOf(decision), ...found }
    },
    async destroy(id) {
      // One redirect to the app for each request, also when two tabs follow it at once.
      const ended = await storage.artifacts.remove('Interaction', sha256(id))
      if (!ended) throw new errors.SessionNotFound('the request was answered already')
    },
  }

  async function maySendTo({ client_id, redirect_uri }: Record<string, unknown> = {}): Promise<boolean> {
    const app = await storage.apps.find(String(client_id))
    return app !== null && matches(String(redirect_uri), app.redirect_uris)
  }

  async function resultOf({ decision, account_id, authorization_id }: Decision): Promise<InteractionResults> {
    if (decision === 'deny' || authorization_id === null) {
      return { error: 'access_denied', error_description: 'the merchant denied access' }
    }
    const account = await storage.accounts.find(account_id)
    if (account?.disabled_at !== null) {
      return { error: 'access_denied', error_description: 'the account of the merchant is disabled' }
    }
    return { login: { accountId: account_id, remember: false }, consent: { grantId: authorization_id } }
  }
}

function artifacts(kind: string, { storage, clock }: AdapterDeps): Adapter {
  // An expired request is stored for longer, so that its page can send the merchant back to the app.
  const extraRetention = kind === 'Interaction' ? interactionLifetime : 0
  return {
    ...unused,
    async upsert(id, { jti: _value, ...payload }, expiresIn = interactionLifetime) {
      const expires_at = clock.now() + expiresIn + extraRetention
      await storage.artifacts.put(kind, sha256(id), JSON.stringify(payload), expires_at)
    },
    async find(id) {
      const artifact = await storage.artifacts.find(kind, sha256(id))
      if (!artifact) return undefined
      const payload = JSON.parse(artifact.payload) as AdapterPayload
      return { ...payload, jti: id, exp: toSystemTime(artifact.expires_at - extraRetention, clock) }
    },
    async destroy(id) {
      await storage.artifacts.remove(kind, sha256(id))
    },
  }
}
