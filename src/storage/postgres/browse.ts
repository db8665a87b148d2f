import type { Account, Browse, Found, FoundStore, Search } from '../port.ts'
import { accountColumns } from './accounts.ts'
import { type AppRow, appColumns, toApp } from './apps.ts'
import type { Database } from './database.ts'

export function createBrowse(db: Database): Browse {
  /** `columns`: of the rows; `from`: where to look; `where`: $1 being the text. */
  async function find<Row>(
    { text, offset, limit }: Search,
    columns: string,
    from: string,
    where: string,
    order: string,
  ): Promise<Found<Row>> {
    const matching = `${from} where $1::text = '' or ${where}`
    const [counted, rows] = await Promise.all([
      db.query<{ total: number }>(`select count(*) as total from ${matching}`, [text]),
      db.query<Row>(`select ${columns} from ${matching} order by ${order} limit $2 offset $3`, [
        ...[text, limit, offset],
      ]),
    ])
    return { rows: [...rows], total: Number(counted[0]?.total) }
  }

  return {
    accounts: search =>
      find<Account>(search, accountColumns, 'accounts', `${contains('email')} or id = $1`, 'email'),
    async apps(search) {
      const { rows, total } = await find<AppRow & { owner_email: string | null }>(
        search,
        `${appColumns}, accounts.email as owner_email`,
        'apps left join accounts on accounts.id = apps.owner_id',
        `${contains('apps.name')} or ${contains('accounts.email')} or apps.id = $1`,
        'apps.name collate "C", apps.id',
      )
      return { rows: rows.map(({ owner_email, ...row }) => ({ ...toApp(row), owner_email })), total }
    },
    stores: search =>
      find<FoundStore>(
        search,
        'id, name, timezone, merchant',
        'stores',
        `${contains('name')} or ${contains('merchant')} or id::text = $1`,
        'id',
      ),
  }
}

/** Whatever the case of A to Z, and of no other letter: as the other engine does it. */
export const contains = (column: string, text = '$1::text'): string =>
  `coalesce(strpos(lower(${column} collate "C"), lower(${text} collate "C")), 0) > 0`
