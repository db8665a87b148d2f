import type { Account, Session, Sessions } from '../../port/index.ts'
import { writeAudit } from './audit.ts'
import { accountColumns } from '../../shared/accounts.ts'
import type { Database } from '../connection/database.ts'

export function createSessions(db: Database): Sessions {
  return {
    create: ({ hash, account_id, password_hash, created_at, expires_at, address, browser }, audit) =>
      db.write(async tx => {
        // With the lock, a parallel disabling is either visible here, or runs later and ends this session.
        const live = await tx.query(
          'select 1 from accounts where id = $1 and disabled_at is null and password_hash = $2 for share',
          [account_id, password_hash],
        )
        if (live.length === 0) return false
        tx.send(
          `insert into sessions (hash, account_id, created_at, expires_at, address, browser)
           values ($1, $2, $3, $4, $5, $6)`,
          [hash, account_id, created_at, expires_at, address ?? null, browser ?? null],
        )
        writeAudit(tx, audit)
        return true
      }),
    async findAccount(hash, now) {
      const [account] = await db.query<Account>(
        `select ${accountColumns} from sessions join accounts on accounts.id = sessions.account_id
         where sessions.hash = $1 and sessions.expires_at > $2 and accounts.disabled_at is null`,
        [hash, now],
      )
      return account ?? null
    },
    end: (hash, audit) =>
      db.write(async tx => {
        const { count } = await tx.query('delete from sessions where hash = $1', [hash])
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    ofAccount: (account_id, now) =>
      db.query<Session>(
        `select hash, created_at, address, browser from sessions where account_id = $1 and expires_at > $2
         order by created_at desc, hash`,
        [account_id, now],
      ),
    endOthers: (account_id, keep, audit) =>
      db.write(async tx => {
        const { count } = await tx.query('delete from sessions where account_id = $1 and hash <> $2', [
          account_id,
          keep,
        ])
        if (count > 0) writeAudit(tx, audit)
        return count
      }),
  }
}
