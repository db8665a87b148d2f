import type { Seconds } from '../../../lib/clock.ts'
import type { Account, Accounts } from '../../port/index.ts'
import { accountColumns } from '../../shared/accounts.ts'
import type { WriteAudit } from './audit.ts'
import type { Database } from '../connection/database.ts'

export function createAccounts(
  db: Database,
  writeAudit: WriteAudit,
  revoke: (authorization_id: string, now: Seconds) => boolean,
): Accounts {
  const insert = db.prepare(
    `insert into accounts (id, email, role, password_hash, created_at, disabled_at)
     values (?, ?, ?, ?, ?, ?) on conflict (email) do nothing`,
  )
  const byEmail = db.prepare<Account>(`select ${accountColumns} from accounts where email = ?`)
  const merchantsAmong = db.prepare<{ email: string }>(
    `select email from accounts where role = 'merchant' and email in (select value from json_each(?)) order by email`,
  )
  const byId = db.prepare<Account>(`select ${accountColumns} from accounts where id = ?`)
  const setDisabled = db.prepare(
    'update accounts set disabled_at = ?1 where id = ?2 and (disabled_at is null) <> (?1 is null)',
  )
  const otherOperator = db.prepare(
    "select 1 from accounts where role = 'operator' and disabled_at is null and id <> ? limit 1",
  )
  const setPassword = db.prepare('update accounts set password_hash = ? where id = ? and password_hash = ?')
  const endSessions = db.prepare('delete from sessions where account_id = ?')
  const liveOf = db.prepare<{ id: string }>(
    'select id from authorizations where account_id = ? and revoked_at is null order by id',
  )
  // Only the operator can enable them again, also those that the developer had disabled.
  const disableApps = db.prepare<{ id: string }>(
    `update apps set disabled_at = ?1, disabled_by_owner = 0
     where owner_id = ?2 and (disabled_at is null or disabled_by_owner) returning id`,
  )

  return {
    create: ({ id, email, role, password_hash, created_at, disabled_at }, audit) =>
      db.write(() => {
        const made = insert.run(id, email, role, password_hash, created_at, disabled_at).changes === 1
        if (made) writeAudit(audit)
        return made
      }),
    findByEmail: email => db.query(() => byEmail.get(email) ?? null),
    merchantsAmong: emails =>
      db.query(() => merchantsAmong.all(JSON.stringify(emails)).map(({ email }) => email)),
    find: id => db.query(() => byId.get(id) ?? null),
    setDisabled: (id, disabled_at, now, audit, appEntry) =>
      db.write(() => {
        const account = byId.get(id)
        if (disabled_at !== null && account?.disabled_at === null) {
          if (account.role === 'operator' && !otherOperator.get(id)) return 'last_operator'
        }
        const changed = setDisabled.run(disabled_at, id).changes === 1
        if (changed && disabled_at !== null) {
          endSessions.run(id)
          for (const authorization of liveOf.all(id)) revoke(authorization.id, now)
        }
        if (changed) writeAudit(audit)
        if (appEntry && disabled_at !== null) {
          for (const app of disableApps.all(disabled_at, id)) writeAudit(appEntry(app.id))
        }
        return changed ? 'changed' : 'unchanged'
      }),
    setPassword: (id, { password_hash, replaces }, audit) =>
      db.write(() => {
        if (setPassword.run(password_hash, id, replaces).changes === 0) return false
        endSessions.run(id)
        writeAudit(audit)
        return true
      }),
  }
}
