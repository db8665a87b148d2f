import type { Clock, Seconds } from '../../lib/clock.ts'
import type { Account, App, MerchantStore, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type From } from '../audit/audit.ts'
import { newScopes, readScopes } from './readable.ts'

/** A merchant's store that an app may read. */
export interface ConnectedStore extends MerchantStore {
  /** By which the app reads it. */
  scopes: string[]
  since: Seconds
  activated_at: Seconds | null
}

/** An app that may read stores of a merchant, by the merchant's consent or by an operator link. */
export interface Connection {
  app: App
  since: Seconds
  /** What the app asks for since the merchant allowed it; empty for an operator's link. */
  new_scopes: string[]
  /** By id. Empty when every store was removed from the authorization or left the merchant. */
  stores: ConnectedStore[]
}

/** The apps that may read a merchant's stores. */
export interface Connections {
  /** All stores of the merchant, by id. */
  stores: MerchantStore[]
  /** Granted by the merchant, who can revoke it; by the app's name. */
  own: Connection[]
  /** Linked by an operator, and readable by the app's own token; by the app's name. */
  linked: Connection[]
}

export interface AppConnections {
  app: App
  stores: MerchantStore[]
  own: Connection | null
  linked: Connection | null
}

/** A store that the app can read, and who allowed it. */
export interface ReadableStore extends ConnectedStore {
  by_merchant: boolean
  by_operator: boolean
}

/** The stores of both kinds of connection that the app can read, each once, by id. */
export function storesOf({ own, linked }: Pick<AppConnections, 'own' | 'linked'>): ReadableStore[] {
  const all = new Map<bigint, ReadableStore>()
  for (const store of own?.stores ?? [])
    all.set(store.id, { ...store, by_merchant: true, by_operator: false })
  for (const store of linked?.stores ?? []) {
    const allowed = all.get(store.id)
    all.set(store.id, {
      ...store,
      scopes: [...new Set([...(allowed?.scopes ?? []), ...store.scopes])],
      by_merchant: allowed !== undefined,
      by_operator: true,
      since: Math.min(store.since, allowed?.since ?? store.since),
      activated_at: allowed?.activated_at ?? store.activated_at,
    })
  }
  return [...all.values()].filter(isRead).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** False when the app has lost the scopes that it was connected with. */
export const isRead = ({ scopes }: Pick<ConnectedStore, 'scopes'>): boolean => scopes.length > 0

/** A merchant's view of the apps that may read their stores. */
export function createConnectedApps({ storage, clock }: { storage: Storage; clock: Clock }) {
  /** Of all apps, or of the given one: a merchant may have thousands of stores, and each app its own list of them. */
  async function list(account: Account, app_id?: string): Promise<Connections> {
    const stores = await storage.stores.ofMerchant(account.email)
    const ids = stores.map(({ id }) => id)
    const [allowed, links] = await Promise.all([
      storage.authorizations.ofAccount(account.id, app_id),
      storage.authorizations.linksTo(ids, app_id),
    ])
    const app_ids = new Set([...allowed, ...links].map(({ app_id }) => app_id))
    const apps = await findAll([...app_ids])
    const scopesOf = (app_id: string, scope: string, by: 'merchant' | 'operator'): string[] => {
      const app = apps.get(app_id)
      return app ? readScopes(app, scope, by) : []
    }
    const effective = links
      .map(({ scope, ...link }) => ({ ...link, scopes: scopesOf(link.app_id, scope, 'operator') }))
      .filter(isRead)
    const linksOf = Map.groupBy(effective, ({ app_id }) => app_id)
    const own = allowed.map(({ app_id, created_at, scope, stores: of }) => {
      const scopes = scopesOf(app_id, scope, 'merchant')
      return {
        app_id,
        since: created_at,
        allowed: scope,
        stores: of.map(({ id, since, activated_at }) => ({ store_id: id, scopes, since, activated_at })),
      }
    })
    const linked = [...linksOf].map(([app_id, of]) => ({
      app_id,
      stores: of,
      allowed: null,
      since: Math.min(...of.map(({ since }) => since)),
    }))
    // By current ownership: a former owner no longer sees the store.
    const byId = new Map(stores.map(store => [store.id, store]))
    const see = (some: Linked[]): Connection[] =>
      some
        .flatMap(({ app_id, ...rest }) => connectionOf(apps.get(app_id), rest, byId))
        .sort((a, b) => a.app.name.localeCompare(b.app.name, 'en') || (a.app.id < b.app.id ? -1 : 1))
    return { stores, own: see(own), linked: see(linked) }
  }

  async function findAll(ids: readonly string[]): Promise<Map<string, App>> {
    const found = await Promise.all(ids.map(id => storage.apps.find(id)))
    return new Map(found.flatMap(app => (app ? [[app.id, app]] : [])))
  }

  /** Null also for another merchant's app, so that its existence is not disclosed. */
  async function find(account: Account, app_id: string): Promise<AppConnections | null> {
    const { stores, own, linked } = await list(account, app_id)
    const ofApp = (some: Connection[]) => some.find(({ app }) => app.id === app_id) ?? null
    const connections = { stores, own: ofApp(own), linked: ofApp(linked) }
    const app = connections.own?.app ?? connections.linked?.app
    return app ? { app, ...connections } : null
  }

  return {
    list,
    find,
    /** Apps by id, also those that are no longer connected: the activity page names them. */
    findAll,

    /** False when the app is not connected by the merchant's consent. */
    async revoke(account: Account, app_id: string, from: From): Promise<boolean> {
      const live = await storage.authorizations.findLive(app_id, account.id)
      if (!live) return false
      const store_ids = await storage.authorizations.storeIds(live.id)
      const about = { app_id, account_id: account.id, store_ids }
      const entry = auditEntry(clock, byAccount(account, from), 'access_revoked', about)
      return storage.authorizations.revoke(live.id, clock.now(), entry)
    },

    /** Sets the stores that the app may read; false when the app is not connected or a store is not the merchant's. */
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
      const entry = auditEntry(clock, byAccount(account, from), 'access_changed', about)
      const changed = { ...live, merchant: account.email }
      // Fails if the authorization was revoked meanwhile: only a new consent creates a new one.
      return (await storage.authorizations.save(changed, store_ids, 'change', clock.now(), entry)) !== null
    },
  }
}

/** A connection as stored, by consent or by link. */
interface Linked {
  app_id: string
  since: Seconds
  /** The scopes of the merchant's consent; null for a link. */
  allowed: string | null
  stores: readonly {
    store_id: bigint
    scopes: string[]
    since: Seconds
    activated_at: Seconds | null
  }[]
}

function connectionOf(
  app: App | undefined,
  { since, allowed, stores }: Omit<Linked, 'app_id'>,
  byId: ReadonlyMap<bigint, MerchantStore>,
): Connection[] {
  if (!app) return []
  const seen = stores.flatMap(({ store_id, scopes, since, activated_at }): ConnectedStore[] => {
    const store = byId.get(store_id)
    return store ? [{ ...store, scopes, since, activated_at }] : []
  })
  const new_scopes = allowed === null ? [] : newScopes(app, allowed)
  return [{ app, since, new_scopes, stores: seen }]
}

function whatChanged(before: ReadonlySet<bigint>, after: readonly bigint[]): string {
  const added = after.filter(id => !before.has(id)).length
  const removed = before.size - (after.length - added)
  return `${added} added, ${removed} removed`
}

export type ConnectedApps = ReturnType<typeof createConnectedApps>
