import type { DecidedRequest, Decision, Decisions } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { Transaction } from '../connection/transaction.ts'
import { ownsStores, saveAuthorization } from './authorizations.ts'

export function createDecisions(db: Database): Decisions {
  return {
    allow: (request, authorization, store_ids, now, audit) =>
      db.write(async tx => {
        const { app_id, account_id } = authorization
        const decision: Decision = { decision: 'allow', app_id, account_id, authorization_id: null }
        if (!(await isFirst(tx, request, decision))) return 'too_late'
        if (!(await ownsStores(tx, authorization, store_ids))) {
          tx.send(`delete from artifacts where kind = 'Decision' and hash = $1`, [request.hash])
          return 'not_owner'
        }
        const authorization_id = await saveAuthorization(tx, authorization, store_ids, 'replace', now)
        const payload = JSON.stringify({ ...decision, authorization_id })
        tx.send(`update artifacts set payload = $2 where kind = 'Decision' and hash = $1`, [
          request.hash,
          payload,
        ])
        writeAudit(tx, audit)
        return 'recorded'
      }),
    deny: (request, { app_id, account_id }, audit) =>
      db.write(async tx => {
        const decision: Decision = { decision: 'deny', app_id, account_id, authorization_id: null }
        if (!(await isFirst(tx, request, decision))) return 'too_late'
        writeAudit(tx, audit)
        return 'recorded'
      }),
    async find(hash, now) {
      const [row] = await db.query<{ payload: string }>(
        `select payload from artifacts where kind = 'Decision' and hash = $1 and expires_at > $2`,
        [hash, now],
      )
      return row ? (JSON.parse(row.payload) as Decision) : null
    },
  }
}

/** Of parallel inserts the second waits until the first transaction ends, and inserts nothing if it committed. */
async function isFirst(
  tx: Transaction,
  { hash, expires_at }: DecidedRequest,
  decision: Decision,
): Promise<boolean> {
  const { count } = await tx.query(
    `insert into artifacts (kind, hash, payload, expires_at) values ('Decision', $1, $2, $3)
     on conflict (kind, hash) do nothing`,
    [hash, JSON.stringify(decision), expires_at],
  )
  return count === 1
}
