import type { Account, Browse, Found, FoundStore, Search } from '../port.ts'
import { accountColumns } from './accounts.ts'
import { type AppRow, appColumns, toApp } from './apps.ts'
import type { Database } from './database.ts'

export function createBrowse(db: Database): Browse {
  /** `rows`: the columns; `matching`: where to look, ?1 being the text. */
  function prepare<Row>(rows: string, matching: string, order: string, integers: 'number' | 'bigint') {
    const page = db.prepare<Row>(
      `select ${rows} from ${matching} order by ${order} limit ?2 offset ?3`,
      integers,
    )
    const count = db.prepare<{ total: number }>(`select count(*) as total from ${matching}`)
    return ({ text, offset, limit }: Search): Promise<Found<Row>> =>
      db.read(() => ({
        rows: page.all(text, limit, offset).map(row => ({ ...row })),
        total: (count.get(text) as { total: number }).total,
      }))
  }

  const apps = prepare<AppRow & { owner_email: string | null }>(
    `${appColumns}, accounts.email as owner_email`,
    `apps left join accounts on accounts.id = apps.owner_id
     where ?1 = '' or ${contains('apps.name')} or ${contains('accounts.email')} or apps.id = ?1`,
    'apps.name, apps.id',
    'number',
  )

  return {
    accounts: prepare<Account>(
      accountColumns,
      `accounts where ?1 = '' or ${contains('email')} or id = ?1`,
      'email',
      'number',
    ),
    async apps(search) {
      const { rows, total } = await apps(search)
      return { rows: rows.map(({ owner_email, ...row }) => ({ ...toApp(row), owner_email })), total }
    },
    stores: prepare<FoundStore>(
      'id, name, timezone, merchant',
      `stores where ?1 = '' or ${contains('name')} or ${contains('merchant')} or cast(id as text) = ?1`,
      'id',
      'bigint',
    ),
  }
}

const contains = (column: string): string => `instr(lower(${column}), lower(?1)) > 0`
