import type { TwoFactors } from '../../port/index.ts'
import { joinHashes, twoFactorOf, type TwoFactorRow } from '../../shared/two-factor.ts'
import type { Database } from '../connection/database.ts'
import { writeAudit } from './audit.ts'

export function createTwoFactors(db: Database): TwoFactors {
  return {
    async find(account_id) {
      const [row] = await db.query<TwoFactorRow>(
        'select secret, recovery_codes, created_at from two_factor where account_id = $1',
        [account_id],
      )
      return twoFactorOf(row)
    },
    set: (account_id, { secret, step, recovery_hashes, created_at }, audit) =>
      db.write(async tx => {
        await tx.query(
          `insert into two_factor (account_id, secret, step, recovery_codes, created_at)
           values ($1, $2, $3, $4, $5)
           on conflict (account_id) do update set secret = excluded.secret, step = excluded.step,
             recovery_codes = excluded.recovery_codes, created_at = excluded.created_at`,
          [account_id, secret, step, joinHashes(recovery_hashes), created_at],
        )
        writeAudit(tx, audit)
      }),
    remove: (account_id, audit) =>
      db.write(async tx => {
        const { count } = await tx.query('delete from two_factor where account_id = $1', [account_id])
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    async useStep(account_id, step) {
      const { count } = await db.query(
        'update two_factor set step = $2 where account_id = $1 and step < $2',
        [account_id, step],
      )
      return count === 1
    },
    async useRecoveryCode(account_id, hash) {
      const { count } = await db.query(
        `update two_factor set recovery_codes = replace(recovery_codes, $2, '')
         where account_id = $1 and strpos(recovery_codes, $2) > 0`,
        [account_id, joinHashes([hash])],
      )
      return count === 1
    },
  }
}
