import type { Clock } from '../lib/clock.ts'
import type { Account, ConnectedApp, Storage } from '../storage/port.ts'
import { auditEntry, byAccount, type From } from './audit.ts'

/** The apps that a merchant allowed, for that merchant's eyes. */
export function createConnectedApps({ storage, clock }: { storage: Storage; clock: Clock }) {
  const list = (account: Account): Promise<ConnectedApp[]> => storage.authorizations.ofAccount(account.id)

  /** Another merchant's app is as unknown as one that does not exist. */
  async function find(account: Account, app_id: string): Promise<ConnectedApp | null> {
    return (await list(account)).find(one => one.app_id === app_id) ?? null
  }

  return {
    list,
    find,
    /** False when the app is not connected. */
    async revoke(account: Account, app_id: string, from: From): Promise<boolean> {
      const connected = await find(account, app_id)
      if (!connected) return false
      const about = { app_id, account_id: account.id, store_ids: connected.stores.map(({ id }) => id) }
      const told = auditEntry(clock, byAccount(account, from), 'access_revoked', about)
      await storage.authorizations.revoke(connected.authorization_id, clock.now(), told)
      return true
    },

    /** Makes these the stores that the app may read; false when it is not connected or one is not the merchant's. */
    async changeStores(
      account: Account,
      app_id: string,
      store_ids: readonly bigint[],
      from: From,
    ): Promise<boolean> {
      const live = await storage.authorizations.findLive(app_id, account.id)
      if (!live) return false
      const about = { app_id, account_id: account.id, store_ids }
      const told = auditEntry(clock, byAccount(account, from), 'access_changed', about)
      const changed = { ...live, merchant: account.email }
      return (await storage.authorizations.save(changed, store_ids, 'replace', clock.now(), told)) !== null
    },
  }
}

export type ConnectedApps = ReturnType<typeof createConnectedApps>
