import type { Account, Accounts } from '../port.ts'
import { type Database, plain } from './database.ts'

export const accountColumns = `accounts.id, accounts.email, accounts.role, accounts.password_hash,
  accounts.created_at, accounts.disabled_at`

export function createAccounts(db: Database): Accounts {
  const insert = db.prepare(
    `insert into accounts (id, email, role, password_hash, created_at, disabled_at)
     values (?, ?, ?, ?, ?, ?) on conflict (email) do nothing`,
  )
  const byEmail = db.prepare<Account>(`select ${accountColumns} from accounts where email = ?`)
  const byId = db.prepare<Account>(`select ${accountColumns} from accounts where id = ?`)

  return {
    create: ({ id, email, role, password_hash, created_at, disabled_at }) =>
      db.write(() => insert.run(id, email, role, password_hash, created_at, disabled_at).changes === 1),
    findByEmail: email => db.read(() => plain(byEmail.get(email))),
    find: id => db.read(() => plain(byId.get(id))),
  }
}
