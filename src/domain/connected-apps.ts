import type { Clock } from '../lib/clock.ts'
import type { Account, ConnectedApp, Storage } from '../storage/port.ts'

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
    async revoke(account: Account, app_id: string): Promise<boolean> {
      const connected = await find(account, app_id)
      if (connected) await storage.authorizations.revoke(connected.authorization_id, clock.now())
      return connected !== null
    },
  }
}

export type ConnectedApps = ReturnType<typeof createConnectedApps>
