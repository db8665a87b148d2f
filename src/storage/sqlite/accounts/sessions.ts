import type { Account, Sessions } from '../../port/index.ts'
import type { WriteAudit } from './audit.ts'
import { accountColumns } from './accounts.ts'
import { type Database, plain } from '../connection/database.ts'

export function createSessions(db: Database, writeAudit: WriteAudit): Sessions {
  const insert = db.prepare(
    `insert into sessions (hash, account_id, created_at, expires_at)
     select ?1, id, ?4, ?5 from accounts where id = ?2 and disabled_at is null and password_hash = ?3`,
  )
  const account = db.prepare<Account>(
    `select ${accountColumns} from sessions join accounts on accounts.id = sessions.account_id
     where sessions.hash = ? and sessions.expires_at > ? and accounts.disabled_at is null`,
  )
  const remove = db.prepare('delete from sessions where hash = ?')

  return {
    create: ({ hash, account_id, password_hash, created_at, expires_at }, audit) =>
      db.write(() => {
        const made = insert.run(hash, account_id, password_hash, created_at, expires_at).changes === 1
        if (made) writeAudit(audit)
        return made
      }),
    findAccount: (hash, now) => db.look(() => plain(account.get(hash, now))),
    end: (hash, audit) =>
      db.write(() => {
        const ended = remove.run(hash).changes === 1
        if (ended) writeAudit(audit)
        return ended
      }),
  }
}
