import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import { auditEntry, type By, byApp, byServer } from '../domain/audit/audit.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import type { NewArtifact, Storage } from '../storage/port/index.ts'
import { clientMetadata } from './client.ts'
import { deferConsume, takeDeferred } from './deferred-consume.ts'
import { interactionLifetime } from './lifetimes.ts'
import { currentClient, currentContext } from './provider-request.ts'
import { toSystemTime } from './system-time.ts'
import { verifiedTokenHandle } from './verified-token.ts'

export interface AdapterDeps {
  storage: Storage
  clock: Clock
  issuer: string
}

/**
 * In this time, a client that lost the response may retry: the second use is rejected and has no other effect. Later,
 * it means that the token was copied, and it ends the authorization (RFC 9700 §4.14.2).
 */
const retryGrace = 10

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
        return undefined
      return {
        kind: 'Grant',
        jti: id,
        accountId: authorization.account_id,
        clientId: authorization.app_id,
        resources: { [issuer]: authorization.scope },
        iat: authorization.created_at,
        exp: authorization.created_at + grantLifetime,
      } as AdapterPayload
    },
    async destroy(id) {
      const { app_id = null, account_id = null } = (await storage.authorizations.find(id)) ?? {}
      const { by, detail } = revocationCause()
      const entry = auditEntry(clock, by, 'access_revoked', { app_id, account_id, detail })
      await storage.authorizations.revoke(id, clock.now(), entry)
    },
  }
}

/** The app at the revocation endpoint; at the token endpoint the server, because of a second use. */
function revocationCause(): { by: By; detail: string } {
  const { route, client } = Provider.ctx?.oidc ?? {}
  const from = currentContext()?.from ?? byServer
  if (route !== 'revocation' || !client) {
    const { address, request_id } = from
    return { by: { ...byServer, address, request_id }, detail: 'a code or refresh token was used twice' }
  }
  return {
    by: byApp({ id: client.clientId, name: client.clientName ?? null }, from),
    detail: 'the app revoked its refresh token',
  }
}

function accessTokens(kind: string, { storage, clock }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = value === verifiedTokenHandle ? currentContext()?.token : null
      return token?.kind === kind ? token : undefined
    },
    async destroy(jti) {
      await storage.revokedTokens.add(jti, clock.now() + accessTokenLifetime)
    },
  }
}

function artifacts(kind: string, { storage, clock }: AdapterDeps): Adapter {
  // An expired request is stored for longer, so that its page can send the merchant back to the app.
  const extraRetention = kind === 'Interaction' ? interactionLifetime : 0
  return {
    ...unused,
    async upsert(id, { jti: _value, ...payload }, expiresIn = interactionLifetime) {
      const expires_at = clock.now() + expiresIn + extraRetention
      const artifact: NewArtifact = [kind, sha256(id), JSON.stringify(payload), expires_at]
      const deferred = kind === 'RefreshToken' ? takeDeferred(currentContext()) : undefined
      if (!deferred) return storage.artifacts.put(...artifact)
      // The conditional update decides which request was first; the provider's own check is a race (RFC 6749 §4.1.2).
      const first = await storage.artifacts.consume(deferred.kind, deferred.hash, clock.now(), artifact)
      if (!first) throw new errors.InvalidGrant('already used')
    },
    async find(id) {
      const artifact = await storage.artifacts.find(kind, sha256(id))
      if (!artifact) return undefined
      const { consumed_at, expires_at } = artifact
      if (kind === 'RefreshToken' && consumed_at !== null && clock.now() - consumed_at <= retryGrace) {
        return undefined
      }
      const payload = JSON.parse(artifact.payload) as AdapterPayload
      return {
        ...payload,
        jti: id,
        exp: toSystemTime(expires_at - extraRetention, clock),
        ...(consumed_at !== null && { consumed: consumed_at }),
      }
    },
    async consume(id) {
      deferConsume({ kind, hash: sha256(id) })
    },
    async destroy(id) {
      await storage.artifacts.remove(kind, sha256(id))
    },
  }
}
