import type { TwoFactors } from '../../port/index.ts'
import { joinHashes, twoFactorOf, type TwoFactorRow } from '../../shared/two-factor.ts'
import type { Database } from '../connection/database.ts'
import type { WriteAudit } from './audit.ts'

export function createTwoFactors(db: Database, writeAudit: WriteAudit): TwoFactors {
  const byAccount = db.prepare<TwoFactorRow>(
    'select secret, recovery_codes, created_at from two_factor where account_id = ?',
  )
  const replace = db.prepare(
    `insert or replace into two_factor (account_id, secret, step, recovery_codes, created_at)
     values (?, ?, ?, ?, ?)`,
  )
  const remove = db.prepare('delete from two_factor where account_id = ?')
  const raiseStep = db.prepare('update two_factor set step = ?2 where account_id = ?1 and step < ?2')
  const removeCode = db.prepare(
    `update two_factor set recovery_codes = replace(recovery_codes, ?2, '')
     where account_id = ?1 and instr(recovery_codes, ?2) > 0`,
  )
  return {
    find: account_id => db.query(() => twoFactorOf(byAccount.get(account_id))),
    set: (account_id, { secret, step, recovery_hashes, created_at }, audit) =>
      db.write(() => {
        replace.run(account_id, secret, step, joinHashes(recovery_hashes), created_at)
        writeAudit(audit)
      }),
    remove: (account_id, audit) =>
      db.write(() => {
        const removed = remove.run(account_id).changes === 1
        if (removed) writeAudit(audit)
        return removed
      }),
    useStep: (account_id, step) => db.write(() => raiseStep.run(account_id, step).changes === 1),
    useRecoveryCode: (account_id, hash) =>
      db.write(() => removeCode.run(account_id, joinHashes([hash])).changes === 1),
  }
}
