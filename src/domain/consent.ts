import { splitScope } from '../contract/scopes.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import type { Account, App, MerchantStore, Storage } from '../storage/port.ts'
import { auditEntry, byAccount, type From } from './audit.ts'

export interface ConsentQuestion {
  stores: MerchantStore[]
  /** The stores that the merchant allowed the app before, while that still stands. */
  allowed: ReadonlySet<bigint>
  allowed_since: number | null
  /** The app's scopes that its own token (client_credentials) will carry for the picked stores. */
  own_scopes: string[]
}

/** A merchant's decision about an app: what it is asked, and what it answers. */
export function createConsent({ storage, clock }: { storage: Storage; clock: Clock }) {
  return {
    /** The app that asks; null when there is none, or it was disabled meanwhile. */
    async asking(client_id: string): Promise<App | null> {
      const app = await storage.apps.find(client_id)
      return app?.disabled_at === null ? app : null
    },

    async ask(account: Account, app: App): Promise<ConsentQuestion> {
      const [stores, live] = await Promise.all([
        storage.stores.ofMerchant(account.email),
        storage.authorizations.findLive(app.id, account.id),
      ])
      return {
        stores,
        allowed: new Set(live ? await storage.authorizations.storeIds(live.id) : []),
        allowed_since: live?.created_at ?? null,
        own_scopes: app.public ? [] : splitScope(app.scope),
      }
    },

    /** The id of the authorization, which now covers exactly these stores; null when one is not the merchant's. */
    async allow(
      account: Account,
      app: App,
      scope: string,
      store_ids: readonly bigint[],
      from: From,
    ): Promise<string | null> {
      const authorization = {
        ...{ id: randomId(), app_id: app.id, account_id: account.id, scope },
        merchant: account.email,
      }
      const about = { app_id: app.id, account_id: account.id, store_ids }
      const told = auditEntry(clock, byAccount(account, from), 'access_allowed', about)
      return storage.authorizations.save(authorization, store_ids, 'replace', clock.now(), told)
    },

    async deny(account: Account, app: App, from: From): Promise<void> {
      const about = { app_id: app.id, account_id: account.id }
      await storage.audit.append(auditEntry(clock, byAccount(account, from), 'access_denied', about))
    },
  }
}

export type Consent = ReturnType<typeof createConsent>
