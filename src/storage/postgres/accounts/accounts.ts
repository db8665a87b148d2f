import type { Account, Accounts } from '../../port/index.ts'
import { accountColumns } from '../../shared/accounts.ts'
import { writeAudit } from './audit.ts'
import { revokeWhere } from '../apps/authorizations.ts'
import type { Database } from '../connection/database.ts'

export function createAccounts(db: Database): Accounts {
  const find = async (column: 'id' | 'email', value: string) => {
    const [account] = await db.query<Account>(`select ${accountColumns} from accounts where ${column} = $1`, [
      value,
    ])
    return account ?? null
  }

  return {
    create: ({ id, email, role, password_hash, created_at, disabled_at }, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `insert into accounts (id, email, role, password_hash, created_at, disabled_at)
           values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing`,
          [id, email, role, password_hash, created_at, disabled_at],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    findByEmail: email => find('email', email),
    async merchantsAmong(emails) {
      const rows = await db.query<{ email: string }>(
        `select email from accounts where role = 'merchant' and email = any ($1::text[]) order by email`,
        [emails],
      )
      return rows.map(({ email }) => email)
    },
    find: id => find('id', id),
    setDisabled: (id, disabled_at, now, audit, appEntry) =>
      db.write(async tx => {
        if (disabled_at !== null) {
          // Locks all of them: two operators who disable each other would leave none.
          const operators = await tx.query<{ id: string }>(
            `select id from accounts where role = 'operator' and disabled_at is null order by id for update`,
          )
          if (operators.length === 1 && operators[0]?.id === id) return 'last_operator'
        }
        const { count } = await tx.query(
          `update accounts set disabled_at = $2
           where id = $1 and (disabled_at is null) <> ($2::bigint is null)`,
          [id, disabled_at],
        )
        const changed = count === 1
        if (changed && disabled_at !== null) {
          tx.send('delete from sessions where account_id = $1', [id])
          await revokeWhere(tx, 'account_id', id, now)
        }
        if (changed) writeAudit(tx, audit)
        if (appEntry && disabled_at !== null) {
          // Only the operator can enable them again, also those that the developer had disabled.
          const apps = await tx.query<{ id: string }>(
            `update apps set disabled_at = $2, disabled_by_owner = false
             where owner_id = $1 and (disabled_at is null or disabled_by_owner) returning id`,
            [id, disabled_at],
          )
          for (const app of apps) writeAudit(tx, appEntry(app.id))
        }
        return changed ? 'changed' : 'unchanged'
      }),
    setPassword: (id, { password_hash, replaces }, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          'update accounts set password_hash = $2 where id = $1 and password_hash = $3',
          [id, password_hash, replaces],
        )
        if (count === 0) return false
        tx.send('delete from sessions where account_id = $1', [id])
        writeAudit(tx, audit)
        return true
      }),
  }
}
