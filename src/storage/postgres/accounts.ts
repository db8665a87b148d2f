import type { Account, Accounts } from '../port.ts'
import type { Database } from './database.ts'

export const accountColumns = `accounts.id, accounts.email, accounts.role, accounts.password_hash,
  accounts.created_at, accounts.disabled_at`

export function createAccounts(db: Database): Accounts {
  const find = async (column: 'id' | 'email', value: string) => {
    const [account] = await db.query<Account>(`select ${accountColumns} from accounts where ${column} = $1`, [
      value,
    ])
    return account ?? null
  }

  return {
    async create({ id, email, role, password_hash, created_at, disabled_at }) {
      const { count } = await db.query(
        `insert into accounts (id, email, role, password_hash, created_at, disabled_at)
         values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing`,
        [id, email, role, password_hash, created_at, disabled_at],
      )
      return count === 1
    },
    findByEmail: email => find('email', email),
    find: id => find('id', id),
  }
}
