import { splitScope } from '../../contract/scopes.ts'
import type { Clock, Seconds } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomId } from '../../lib/ids.ts'
import type { Account, App, MerchantStore, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type From } from '../audit/audit.ts'

export interface ConsentQuestion {
  stores: MerchantStore[]
  /** The stores that the merchant allows now, with the time from which each is allowed. */
  allowed: ReadonlyMap<bigint, Seconds>
  /** When the merchant first allowed the app; null when there is no live authorization. */
  allowed_since: Seconds | null
  /** The merchant's stores that an operator linked to the app; the merchant's decision does not change them. */
  linked: MerchantStore[]
  /** The app's scopes that its own token (client_credentials) will carry for the picked stores. */
  own_scopes: string[]
}

export type Decision = 'allow' | 'deny'

/** Seconds for which a decision is kept, to explain it to a merchant who returns to its page. */
const memory = 86_400

/** A merchant's consent: what the page asks, and what the decision changes. */
export function createConsent({ storage, clock }: { storage: Storage; clock: Clock }) {
  return {
    async ask(account: Account, app: App): Promise<ConsentQuestion> {
      const [stores, connected] = await Promise.all([
        storage.stores.ofMerchant(account.email),
        storage.authorizations.ofAccount(account.id),
      ])
      const links = await storage.authorizations.linksTo(stores.map(({ id }) => id))
      const linked = new Set(links.filter(({ app_id }) => app_id === app.id).map(({ store_id }) => store_id))
      const live = connected.find(({ app_id }) => app_id === app.id)
      return {
        stores,
        allowed: new Map(live?.stores.map(({ id, since }) => [id, since])),
        allowed_since: live?.created_at ?? null,
        linked: stores.filter(({ id }) => linked.has(id)),
        own_scopes: app.public ? [] : splitScope(app.scope),
      }
    },

    /** Returns the id of the authorization, which now covers exactly these stores; null when a store is not the merchant's. */
    async allow(
      account: Account,
      app: App,
      scope: string,
      store_ids: readonly bigint[],
      from: From,
    ): Promise<string | null> {
      const authorization = {
        id: randomId(),
        app_id: app.id,
        account_id: account.id,
        scope,
        merchant: account.email,
      }
      const about = { app_id: app.id, account_id: account.id, store_ids }
      const entry = auditEntry(clock, byAccount(account, from), 'access_allowed', about)
      return storage.authorizations.save(authorization, store_ids, 'replace', clock.now(), entry)
    },

    async deny(account: Account, app: App, from: From): Promise<void> {
      const about = { app_id: app.id, account_id: account.id }
      await storage.audit.append(auditEntry(clock, byAccount(account, from), 'access_denied', about))
    },

    /** Keeps a decision for a merchant who returns to the page, by the Back button or by sending the form twice. */
    async remember(uid: string, account: Account, app: App, decision: Decision): Promise<void> {
      const payload = JSON.stringify({ account_id: account.id, app_id: app.id, decision })
      await storage.artifacts.put('Decision', sha256(uid), payload, clock.now() + memory)
    },

    /** This account's decision on the request; null for any other account. */
    async decided(uid: string, account: Account): Promise<{ app: App; decision: Decision } | null> {
      const found = await storage.artifacts.find('Decision', sha256(uid))
      if (!found || found.expires_at <= clock.now()) return null
      const { account_id, app_id, decision } = JSON.parse(found.payload) as Remembered
      const app = account_id === account.id ? await storage.apps.find(app_id) : null
      return app && { app, decision }
    },
  }
}

interface Remembered {
  account_id: string
  app_id: string
  decision: Decision
}

export type Consent = ReturnType<typeof createConsent>
