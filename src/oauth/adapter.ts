import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import { auditEntry, type By, byApp, byServer } from '../domain/audit/audit.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import type { NewArtifact, Storage } from '../storage/port/index.ts'
import { clientMetadata } from './client.ts'
import type { PresentedTokens } from './presented-tokens.ts'
import { interactionLifetime } from './lifetimes.ts'
import { toMachineTime } from './machine-time.ts'
import { factsOf, fromOf, takeUsed, useUp } from './provider-request.ts'

/**
 * The provider's storage, over ours. Only codes, refresh tokens and interactions are kept for it, by the hash of
 * their value. Its clients are our apps, its grants our authorizations, its access tokens are JWTs that are not
 * stored, and its sessions are not used: the merchant's sign-in is ours.
 */
export interface AdapterDeps {
  storage: Storage
  clock: Clock
  issuer: string
  presented: PresentedTokens
}

/**
 * A refresh token that comes again within this time is a retry that crossed its answer: refused, but harmless. Later
 * it is a copy in other hands, and the authorization ends (RFC 9700 §4.14.2).
 */
const retryGrace = 10

/** Long enough that only revocation ends a grant. */
const grantLifetime = 100 * 365 * 86_400

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

/** What an adapter need not do is done by nothing. */
const unused: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  // A revoked grant is asked for at every use of its tokens, so they need not be hunted down.
  revokeByGrantId: nothing,
}

function apps({ storage }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(id) {
      const facts = factsOf(Provider.ctx, id)
      const app = facts ? facts.app : await storage.apps.find(id)
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
      const { by, detail } = whoRevokes()
      const told = auditEntry(clock, by, 'access_revoked', { app_id, account_id, detail })
      await storage.authorizations.revoke(id, clock.now(), told)
    },
  }
}

/** The app itself at the revocation endpoint; anywhere else the provider, because a code or token came twice. */
function whoRevokes(): { by: By; detail: string } {
  const ctx = Provider.ctx
  const from = ctx ? fromOf(ctx) : byServer
  const { client } = ctx?.oidc ?? {}
  if (ctx?.oidc.route !== 'revocation' || !client) {
    const { address, request_id } = from
    return { by: { ...byServer, address, request_id }, detail: 'a code or refresh token was used twice' }
  }
  return {
    by: byApp({ id: client.clientId, name: client.clientName ?? null }, from),
    detail: 'the app gave its refresh token back',
  }
}

function accessTokens(kind: string, { storage, clock, presented }: AdapterDeps): Adapter {
  return {
    ...unused,
    async find(handle) {
      return presented.find(kind, handle)
    },
    async destroy(jti) {
      await storage.revokedTokens.add(jti, clock.now() + accessTokenLifetime)
    },
  }
}

function artifacts(kind: string, { storage, clock }: AdapterDeps): Adapter {
  // A request that nobody answered in time is known for a while longer, so that its merchant can be sent back.
  const keptLonger = kind === 'Interaction' ? interactionLifetime : 0
  return {
    ...unused,
    async upsert(id, { jti: _value, ...payload }, expiresIn = interactionLifetime) {
      const expires_at = clock.now() + expiresIn + keptLonger
      const artifact: NewArtifact = [kind, sha256(id), JSON.stringify(payload), expires_at]
      const used = kind === 'RefreshToken' ? takeUsed(Provider.ctx) : null
      if (!used) return storage.artifacts.put(...artifact)
      // The update decides who was first; the provider's own look before it cannot (RFC 6749 §4.1.2).
      const first = await storage.artifacts.consume(used.kind, used.hash, clock.now(), artifact)
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
        exp: toMachineTime(expires_at - keptLonger, clock),
        ...(consumed_at !== null && { consumed: consumed_at }),
      }
    },
    async consume(id) {
      useUp(Provider.ctx, { kind, hash: sha256(id) })
    },
    async destroy(id) {
      await storage.artifacts.remove(kind, sha256(id))
    },
  }
}
