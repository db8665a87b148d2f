import type {
  Account,
  Browse,
  Found,
  FoundStore,
  Search,
  StoreDetail,
  StoreReader,
  Totals,
} from '../../port/index.ts'
import { accountColumns, countedAccounts } from '../../shared/accounts.ts'
import { appColumns, type AppRow, toApp } from '../../shared/apps.ts'
import { storeColumns } from '../../shared/list.ts'
import { contains, searched } from './contains.ts'
import type { Database } from '../connection/database.ts'

export function createBrowse(db: Database): Browse {
  /** In `from` and `where`, $1 is the searched text, $2 and $3 are for `contains`, and $4… are the values of `more`. */
  async function find<Row>(
    { text, offset, limit }: Search,
    columns: string,
    from: string,
    where: string,
    order: string,
    more: readonly string[] = [],
  ): Promise<Found<Row>> {
    const matching = `${from} where $1::text = '' or ${where}`
    const values = [text, ...searched(text), ...more]
    const rows = await db.planned<Row>(
      `select ${columns} from ${matching} order by ${order} limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, limit, offset],
    )
    // The last page knows the total: a search without a match is not repeated.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
    if (isLast) return { rows: [...rows], total: offset + rows.length }
    const [counted] = await db.planned<{ total: number }>(`select count(*) as total from ${matching}`, values)
    return { rows: [...rows], total: Number(counted?.total) }
  }

  return {
    accounts: search =>
      find<Account>(search, accountColumns, 'accounts', `${has('email')} or id = $1`, 'email'),
    async apps(search) {
      const { rows, total } = await find<AppRow & { owner_email: string | null }>(
        search,
        `${appColumns}, accounts.email as owner_email`,
        'apps left join accounts on accounts.id = apps.owner_id',
        `${has('apps.name')} or ${has('accounts.email')} or apps.id = $1`,
        'apps.name collate "C", apps.id',
      )
      return { rows: rows.map(({ owner_email, ...row }) => ({ ...toApp(row), owner_email })), total }
    },
    stores: search =>
      find<FoundStore>(
        search,
        storeColumns,
        search.app_id === null ? 'stores' : ofApp,
        storeMatches,
        'id',
        search.app_id === null ? [] : [search.app_id],
      ),
    async storesFrom(id, { text, limit }) {
      const rows = await db.query<FoundStore>(
        `select ${storeColumns} from stores
         where ($1::text = '' or ${storeMatches}) and id >= $4 order by id limit $5`,
        [text, ...searched(text), id, limit],
      )
      return [...rows]
    },
    async store(id) {
      const [[store], [orders]] = await Promise.all([
        db.query<FoundStore & { seq: number }>(`select ${storeColumns}, seq from stores where id = $1`, [id]),
        db.query<Pick<StoreDetail, 'last_order_at' | 'last_change_at'>>(
          `select max(created_at) as last_order_at, max(updated_at) as last_change_at
           from orders where store_id = $1`,
          [id],
        ),
      ])
      return store ? { last_order_at: null, last_change_at: null, ...store, ...orders } : null
    },
    async readersOf(store_id) {
      const rows = await db.query<StoreReader>(
        `select linked.app_id, apps.name as app_name, apps.disabled_at as app_disabled_at,
           authorizations.account_id, accounts.email as account_email, linked.since as allowed_at, activated_at
         from authorization_stores as linked
         join apps on apps.id = linked.app_id
         join authorizations on authorizations.id = linked.authorization_id
         left join accounts on accounts.id = authorizations.account_id
         left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
         where linked.store_id = $1 order by apps.name collate "C", apps.id, linked.authorization_id`,
        [store_id],
      )
      return [...rows]
    },
    async reachOf(app_id) {
      const [[stores], [owners], [givers]] = await Promise.all([
        db.query<{ count: number }>(
          'select count(distinct store_id) as count from authorization_stores where app_id = $1',
          [app_id],
        ),
        db.planned<{ count: number }>(
          // Not count(distinct …), which sorts.
          `select count(merchant) as count from (
             select stores.merchant from authorization_stores
             join stores on stores.id = authorization_stores.store_id where app_id = $1 group by stores.merchant
           ) as owners`,
          [app_id],
        ),
        db.query<{ merchants: bigint; linked: boolean }>(
          `select count(account_id) as merchants, count(*) > count(account_id) as linked
           from authorizations where app_id = $1 and revoked_at is null`,
          [app_id],
        ),
      ])
      return {
        stores: stores?.count ?? 0,
        owners: owners?.count ?? 0,
        merchants: Number(givers?.merchants),
        linked: givers?.linked === true,
      }
    },
    async newestSeq() {
      const [row] = await db.query<{ seq: number | null }>('select max(seq) as seq from stores where seq > 0')
      return row?.seq ?? null
    },
    async totals() {
      // Two statements: on Citus `stores` is distributed, the other tables are on every worker.
      const [[stores], [people]] = await Promise.all([
        db.query<{ count: number }>('select count(*) as count from stores'),
        db.query<Record<keyof Totals, bigint>>(
          `select some_apps.*, people.*
           from (select count(*) as apps, count(disabled_at) as disabled_apps from apps) as some_apps,
             (select ${countedAccounts} from accounts) as people`,
        ),
      ])
      const count = (name: keyof Totals): number => Number(people?.[name])
      return {
        stores: stores?.count ?? 0,
        apps: count('apps'),
        disabled_apps: count('disabled_apps'),
        merchants: count('merchants'),
        developers: count('developers'),
        operators: count('operators'),
        disabled_accounts: count('disabled_accounts'),
      }
    },
  }
}

const has = (column: string): string => contains(column, '$2', '$3')
const storeMatches = `${has('name')} or ${has('merchant')} or id::text = $1`

const ofApp = `stores join (select distinct store_id from authorization_stores where app_id = $4) as linked
  on linked.store_id = stores.id`
