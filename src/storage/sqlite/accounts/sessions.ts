import type { Account, Session, Sessions } from '../../port/index.ts'
import type { WriteAudit } from './audit.ts'
import { accountColumns } from '../../shared/accounts.ts'
import type { Database } from '../connection/database.ts'

export function createSessions(db: Database, writeAudit: WriteAudit): Sessions {
  const insert = db.prepare(
    `insert into sessions (hash, account_id, created_at, expires_at, address, browser)
     select ?1, id, ?4, ?5, ?6, ?7 from accounts where id = ?2 and disabled_at is null and password_hash = ?3`,
  )
  const account = db.prepare<Account>(
    `select ${accountColumns} from sessions join accounts on accounts.id = sessions.account_id
     where sessions.hash = ? and sessions.expires_at > ? and accounts.disabled_at is null`,
  )
  const remove = db.prepare('delete from sessions where hash = ?')
  const ofAccount = db.prepare<Session>(
    `select hash, created_at, address, browser from sessions where account_id = ? and expires_at > ?
     order by created_at desc, hash`,
  )
  const removeOthers = db.prepare('delete from sessions where account_id = ? and hash <> ?')

  return {
    create: ({ hash, account_id, password_hash, created_at, expires_at, address, browser }, audit) =>
      db.write(() => {
        const from = [address ?? null, browser ?? null]
        const made =
          insert.run(hash, account_id, password_hash, created_at, expires_at, ...from).changes === 1
        if (made) writeAudit(audit)
        return made
      }),
    findAccount: (hash, now) => db.query(() => account.get(hash, now) ?? null),
    end: (hash, audit) =>
      db.write(() => {
        const ended = remove.run(hash).changes === 1
        if (ended) writeAudit(audit)
        return ended
      }),
    ofAccount: (account_id, now) => db.query(() => ofAccount.all(account_id, now)),
    endOthers: (account_id, keep, audit) =>
      db.write(() => {
        const ended = Number(removeOthers.run(account_id, keep).changes)
        if (ended > 0) writeAudit(audit)
        return ended
      }),
  }
}
