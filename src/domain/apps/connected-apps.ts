import type { Clock, Seconds } from '../../lib/clock.ts'
import type { Account, App, MerchantStore, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type From } from '../audit/audit.ts'
import type { LastRead, ReadFigures } from '../usage/reads.ts'

/** A store of the merchant's that an app may read. */
export interface ConnectedStore extends MerchantStore {
  since: Seconds
  activated_at: Seconds | null
  last_read_at: Seconds | null
}

/** An app that may read stores of the merchant's: by the merchant's own consent, or by the operator's link. */
export interface Connection {
  app: App
  since: Seconds
  /** By id. Empty when all it was allowed were taken from it, or sold. */
  stores: ConnectedStore[]
  last_read_at: Seconds | null
}

/** Who may read what of a merchant. */
export interface Connections {
  /** Every store of the merchant's, by id. */
  stores: MerchantStore[]
  /** What the merchant allowed, and can take back; by the app's name. */
  own: Connection[]
  /** What the operator connected; by the app's name. */
  linked: Connection[]
}

export interface AppConnections {
  app: App
  stores: MerchantStore[]
  own: Connection | null
  linked: Connection | null
}

/** Of both kinds of connection, each once, by id. */
export function storesOf({ own, linked }: AppConnections): ConnectedStore[] {
  const all = new Map([...(linked?.stores ?? []), ...(own?.stores ?? [])].map(store => [store.id, store]))
  return [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface ConnectedAppsDeps {
  storage: Storage
  clock: Clock
  reads: Pick<ReadFigures, 'last'>
}

/** The apps that read a merchant's stores, for that merchant's eyes. */
export function createConnectedApps({ storage, clock, reads }: ConnectedAppsDeps) {
  async function list(account: Account): Promise<Connections> {
    const stores = await storage.stores.ofMerchant(account.email)
    const ids = stores.map(({ id }) => id)
    const [allowed, links, last] = await Promise.all([
      storage.authorizations.ofAccount(account.id),
      storage.authorizations.linksTo(ids),
      reads.last(ids),
    ])
    const app_ids = new Set([...allowed, ...links].map(({ app_id }) => app_id))
    const apps = await findAll([...app_ids])
    const linksOf = Map.groupBy(links, ({ app_id }) => app_id)
    const own = allowed.map(({ app_id, created_at, stores: of }) => ({
      app_id,
      since: created_at,
      stores: of.map(({ id: store_id, ...facts }) => ({ store_id, ...facts })),
    }))
    const linked = [...linksOf].map(([app_id, of]) => ({
      app_id,
      stores: of,
      since: Math.min(...of.map(({ since }) => since)),
    }))
    // By current ownership: what a former owner sees of a store ends with the sale.
    const byId = new Map(stores.map(store => [store.id, store]))
    const see = (some: Linked[]): Connection[] =>
      some
        .flatMap(({ app_id, ...rest }) => connectionOf(apps.get(app_id), rest, byId, last.get(app_id)))
        .sort((a, b) => a.app.name.localeCompare(b.app.name, 'en') || (a.app.id < b.app.id ? -1 : 1))
    return { stores, own: see(own), linked: see(linked) }
  }

  async function findAll(ids: readonly string[]): Promise<Map<string, App>> {
    const found = await Promise.all(ids.map(id => storage.apps.find(id)))
    return new Map(found.flatMap(app => (app ? [[app.id, app]] : [])))
  }

  /** Another merchant's app is as unknown as one that does not exist. */
  async function find(account: Account, app_id: string): Promise<AppConnections | null> {
    const { stores, own, linked } = await list(account)
    const ofApp = (some: Connection[]) => some.find(({ app }) => app.id === app_id) ?? null
    const connections = { stores, own: ofApp(own), linked: ofApp(linked) }
    const app = connections.own?.app ?? connections.linked?.app
    return app ? { app, ...connections } : null
  }

  return {
    list,
    find,
    /** Apps by id, for those of the activity that are no longer connected. */
    findAll,

    /** False when the app is not connected by the merchant's consent. */
    async revoke(account: Account, app_id: string, from: From): Promise<boolean> {
      const live = await storage.authorizations.findLive(app_id, account.id)
      if (!live) return false
      const store_ids = await storage.authorizations.storeIds(live.id)
      const about = { app_id, account_id: account.id, store_ids }
      const told = auditEntry(clock, byAccount(account, from), 'access_revoked', about)
      return storage.authorizations.revoke(live.id, clock.now(), told)
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
      const before = new Set(await storage.authorizations.storeIds(live.id))
      if (before.size === store_ids.length && store_ids.every(id => before.has(id))) return true
      const about = { app_id, account_id: account.id, store_ids, detail: whatChanged(before, store_ids) }
      const told = auditEntry(clock, byAccount(account, from), 'access_changed', about)
      const changed = { ...live, merchant: account.email }
      // Not one that was revoked a moment ago: only a new consent begins a new authorization.
      return (await storage.authorizations.save(changed, store_ids, 'change', clock.now(), told)) !== null
    },
  }
}

/** What the storage knows of a connection, whoever made it. */
interface Linked {
  app_id: string
  since: Seconds
  stores: readonly { store_id: bigint; since: Seconds; activated_at: Seconds | null }[]
}

function connectionOf(
  app: App | undefined,
  { since, stores }: Omit<Linked, 'app_id'>,
  byId: ReadonlyMap<bigint, MerchantStore>,
  last: LastRead | undefined,
): Connection[] {
  if (!app) return []
  const seen = stores.flatMap(({ store_id, since, activated_at }): ConnectedStore[] => {
    const store = byId.get(store_id)
    return store ? [{ ...store, since, activated_at, last_read_at: last?.stores.get(store_id) ?? null }] : []
  })
  const reads = seen.flatMap(({ last_read_at }) => last_read_at ?? [])
  return [{ app, since, stores: seen, last_read_at: reads.length === 0 ? null : Math.max(...reads) }]
}

function whatChanged(before: ReadonlySet<bigint>, after: readonly bigint[]): string {
  const added = after.filter(id => !before.has(id)).length
  const removed = before.size - (after.length - added)
  return `${added} added, ${removed} removed`
}

export type ConnectedApps = ReturnType<typeof createConnectedApps>
