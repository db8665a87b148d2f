import type { Clock, Seconds } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomId } from '../../lib/ids.ts'
import type { Account, App, Decision, Decisions, MerchantStore, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type From } from '../audit/audit.ts'
import { commonScopes, splitScope } from '../../contract/scopes.ts'
import { readScopes, requestableScopes } from './readable.ts'

export interface ConsentQuestion {
  stores: MerchantStore[]
  /** The stores that the merchant allows now, with the time from which each is allowed. */
  allowed: ReadonlyMap<bigint, Seconds>
  /** When the merchant first allowed the app; null when there is no live authorization. */
  allowed_since: Seconds | null
  /** The merchant's stores that the app reads by an operator's link; the merchant's decision does not change them. */
  linked: MerchantStore[]
  /** The merchant's stores that the app can read now. */
  readable: MerchantStore[]
  /** What the app may do with the picked stores after an Allow, by the merchant's consent and with its own token. */
  scopes: string[]
  /** Those that the merchant has not allowed before; empty when the merchant has not allowed the app before. */
  new_scopes: string[]
}

/** What an authorization request asks for. */
interface AuthorizationScopes {
  scope: string
  /** The app's scopes when the request began; null when that is not known. */
  app_scope: string | null
}

/** As long as a request is open, a scope that the app loses is no longer asked for, and one that it gains is not added. */
function scopesOfRequest(app: App, { scope, app_scope }: AuthorizationScopes): string[] {
  const asked = requestableScopes({ ...app, scope: commonScopes(app_scope ?? app.scope, app.scope) })
  return [...new Set([...splitScope(commonScopes(scope, app.scope)), ...asked])]
}

/** Seconds for which a decision is kept: longer than its request, and to explain it to a merchant who returns to its page. */
const memory = 86_400

/** A merchant's consent: what the page asks, and what the decision changes. */
export function createConsent({ storage, clock }: { storage: Storage; clock: Clock }) {
  const requestOf = (uid: string) => ({ hash: sha256(uid), expires_at: clock.now() + memory })
  return {
    async ask(account: Account, app: App, asked: AuthorizationScopes): Promise<ConsentQuestion> {
      const [stores, connected] = await Promise.all([
        storage.stores.ofMerchant(account.email),
        storage.authorizations.ofAccount(account.id, app.id),
      ])
      const links = await storage.authorizations.linksTo(
        stores.map(({ id }) => id),
        app.id,
      )
      const linked = new Set(
        links
          .filter(({ scope }) => readScopes(app, scope, 'operator').length > 0)
          .map(({ store_id }) => store_id),
      )
      const [live] = connected
      const allowed = new Map(live?.stores.map(({ id, since }) => [id, since]))
      const isAllowedRead = live !== undefined && readScopes(app, live.scope, 'merchant').length > 0
      const scopes = scopesOfRequest(app, asked)
      const known = live ? splitScope(live.scope) : scopes
      return {
        stores,
        allowed,
        allowed_since: live?.created_at ?? null,
        linked: stores.filter(({ id }) => linked.has(id)),
        readable: stores.filter(({ id }) => linked.has(id) || (isAllowedRead && allowed.has(id))),
        scopes,
        new_scopes: scopes.filter(scope => !known.includes(scope)),
      }
    },

    /** The first decision on the request counts, and a later one changes nothing (`too_late`). */
    async allow(
      uid: string,
      account: Account,
      app: App,
      asked: AuthorizationScopes,
      store_ids: readonly bigint[],
      from: From,
    ): ReturnType<Decisions['allow']> {
      const authorization = {
        id: randomId(),
        app_id: app.id,
        account_id: account.id,
        scope: scopesOfRequest(app, asked).join(' '),
        merchant: account.email,
      }
      const about = { app_id: app.id, account_id: account.id, store_ids }
      const entry = auditEntry(clock, byAccount(account, from), 'access_allowed', about)
      return storage.decisions.allow(requestOf(uid), authorization, store_ids, clock.now(), entry)
    },

    /** Like `allow`. */
    async deny(uid: string, account: Account, app: App, from: From): ReturnType<Decisions['deny']> {
      const about = { app_id: app.id, account_id: account.id }
      const entry = auditEntry(clock, byAccount(account, from), 'access_denied', about)
      return storage.decisions.deny(requestOf(uid), about, entry)
    },

    /** This account's decision on the request; null for any other account. */
    async decided(
      uid: string,
      account: Account,
    ): Promise<{ app: App; decision: Decision['decision'] } | null> {
      const found = await storage.decisions.find(sha256(uid), clock.now())
      const app = found?.account_id === account.id ? await storage.apps.find(found.app_id) : null
      return found && app && { app, decision: found.decision }
    },
  }
}

export type Consent = ReturnType<typeof createConsent>
