import type { Account, Sessions } from '../port.ts'
import { accountColumns } from './accounts.ts'
import { type Database, plain } from './database.ts'

export function createSessions(db: Database): Sessions {
  const insert = db.prepare(
    'insert into sessions (hash, account_id, created_at, expires_at) values (?, ?, ?, ?)',
  )
  const account = db.prepare<Account>(
    `select ${accountColumns} from sessions join accounts on accounts.id = sessions.account_id
     where sessions.hash = ? and sessions.expires_at > ? and accounts.disabled_at is null`,
  )
  const remove = db.prepare('delete from sessions where hash = ?')

  return {
    create: ({ hash, account_id, created_at, expires_at }) =>
      db.write(() => void insert.run(hash, account_id, created_at, expires_at)),
    findAccount: (hash, now) => db.read(() => plain(account.get(hash, now))),
    end: hash => db.write(() => void remove.run(hash)),
  }
}
