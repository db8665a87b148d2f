import type { Account, Browse, Found, FoundStore, Search, StoreReader, Totals } from '../../port/index.ts'
import { accountColumns, countedAccounts } from '../../shared/accounts.ts'
import { appColumns, type AppRow, toApp } from '../../shared/apps.ts'
import { storeColumns } from '../../shared/list.ts'
import { contains } from './contains.ts'
import type { Database } from '../connection/database.ts'

export function createBrowse(db: Database): Browse {
  /** In `matching`, ?1 is the searched text and ?2… are further values. */
  function prepare<Row>(columns: string, matching: string, order: string, integers: 'number' | 'bigint') {
    const page = db.prepare<Row>(
      `select ${columns} from ${matching} order by ${order} limit ? offset ?`,
      integers,
    )
    const count = db.prepare<{ total: number }>(`select count(*) as total from ${matching}`)
    return ({ text, offset, limit }: Search, ...more: string[]): Promise<Found<Row>> =>
      db.snapshot(() => ({
        rows: page.all(text, ...more, limit, offset),
        total: (count.get(text, ...more) as { total: number }).total,
      }))
  }

  const apps = prepare<AppRow & { owner_email: string | null }>(
    `${appColumns}, accounts.email as owner_email`,
    `apps left join accounts on accounts.id = apps.owner_id
     where ?1 = '' or ${contains('apps.name')} or ${contains('accounts.email')} or apps.id = ?1`,
    'apps.name, apps.id',
    'number',
  )
  const accounts = prepare<Account>(
    accountColumns,
    `accounts where ?1 = '' or ${contains('email')} or id = ?1`,
    'email',
    'number',
  )
  const storeMatches = `(?1 = '' or ${contains('name')} or ${contains('merchant')} or cast(id as text) = ?1)`
  const stores = prepare<FoundStore>(storeColumns, `stores where ${storeMatches}`, 'id', 'bigint')
  const storesOfApp = prepare<FoundStore>(
    storeColumns,
    `stores where ${storeMatches}
       and exists (select 1 from authorization_stores where store_id = stores.id and app_id = ?2)`,
    'id',
    'bigint',
  )
  const storesFrom = db.prepare<FoundStore>(
    `select ${storeColumns} from stores where ${storeMatches} and id >= ?2 order by id limit ?3`,
    'bigint',
  )
  const store = db.prepare<FoundStore & { seq: number }>(
    `select ${storeColumns}, seq from stores where id = ?`,
    'bigint',
  )
  const lastOrder = db.prepare<{ last_order_at: number | null }>(
    'select max(created_at) as last_order_at from orders where store_id = ?',
  )
  const lastChange = db.prepare<{ last_change_at: number | null }>(
    'select max(updated_at) as last_change_at from orders where store_id = ?',
  )
  const readers = db.prepare<StoreReader>(
    `select linked.app_id, apps.name as app_name, apps.disabled_at as app_disabled_at,
       authorizations.account_id, accounts.email as account_email, linked.since as allowed_at, activated_at
     from authorization_stores as linked
     join apps on apps.id = linked.app_id
     join authorizations on authorizations.id = linked.authorization_id
     left join accounts on accounts.id = authorizations.account_id
     left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
     where linked.store_id = ? order by apps.name, apps.id, linked.authorization_id`,
  )
  const reachStores = db.prepare<{ stores: number }>(
    'select count(distinct store_id) as stores from authorization_stores where app_id = ?',
  )
  const reachOwners = db.prepare<{ owners: number }>(
    `select count(distinct stores.merchant) as owners from authorization_stores
     join stores on stores.id = authorization_stores.store_id where app_id = ?`,
  )
  const reachGivers = db.prepare<{ merchants: number; linked: number }>(
    `select count(account_id) as merchants, count(*) > count(account_id) as linked
     from authorizations where app_id = ? and revoked_at is null`,
  )
  const totals = db.prepare<Totals>(
    `select (select count(*) from stores) as stores, some_apps.*, people.*
     from (select count(*) as apps, count(disabled_at) as disabled_apps from apps) as some_apps,
       (select ${countedAccounts} from accounts) as people`,
  )

  const newestSeq = db.prepare<{ seq: number | null }>('select max(seq) as seq from stores where seq > 0')

  return {
    accounts: search => accounts(search),
    async apps(search) {
      const { rows, total } = await apps(search)
      return { rows: rows.map(({ owner_email, ...row }) => ({ ...toApp(row), owner_email })), total }
    },
    stores: search => (search.app_id === null ? stores(search) : storesOfApp(search, search.app_id)),
    storesFrom: (id, { text, limit }) => db.query(() => storesFrom.all(text, id, limit)),
    store: id =>
      db.snapshot(() => {
        const found = store.get(id)
        const { last_order_at = null } = lastOrder.get(id) ?? {}
        const { last_change_at = null } = lastChange.get(id) ?? {}
        return found ? { ...found, last_order_at, last_change_at } : null
      }),
    readersOf: store_id => db.query(() => readers.all(store_id)),
    reachOf: app_id =>
      db.snapshot(() => {
        const { stores = 0 } = reachStores.get(app_id) ?? {}
        const { owners = 0 } = reachOwners.get(app_id) ?? {}
        const { merchants = 0, linked = 0 } = reachGivers.get(app_id) ?? {}
        return { stores, owners, merchants, linked: linked === 1 }
      }),
    newestSeq: () => db.query(() => newestSeq.get()?.seq ?? null),
    totals: () => db.query(() => totals.get() as Totals),
  }
}
