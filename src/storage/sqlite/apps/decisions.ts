import type { Seconds } from '../../../lib/clock.ts'
import type { Decision, Decisions } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { SaveAuthorization } from './authorizations.ts'

export function createDecisions(
  db: Database,
  writeAudit: WriteAudit,
  saveAuthorization: SaveAuthorization,
): Decisions {
  const insert = db.prepare(
    `insert into artifacts (kind, hash, payload, expires_at) values ('Decision', ?, ?, ?)`,
  )
  const exists = db.prepare(`select 1 from artifacts where kind = 'Decision' and hash = ?`)
  const live = db.prepare<{ payload: string }>(
    `select payload from artifacts where kind = 'Decision' and hash = ? and expires_at > ?`,
  )
  const store = (hash: string, decision: Decision, expires_at: Seconds) =>
    void insert.run(hash, JSON.stringify(decision), expires_at)

  return {
    allow: ({ hash, expires_at }, authorization, store_ids, now, audit) =>
      db.write(() => {
        if (exists.get(hash)) return 'too_late'
        const authorization_id = saveAuthorization(authorization, store_ids, 'replace', now)
        if (authorization_id === null) return 'not_owner'
        const { app_id, account_id } = authorization
        store(hash, { decision: 'allow', app_id, account_id, authorization_id }, expires_at)
        writeAudit(audit)
        return 'recorded'
      }),
    deny: ({ hash, expires_at }, { app_id, account_id }, audit) =>
      db.write(() => {
        if (exists.get(hash)) return 'too_late'
        store(hash, { decision: 'deny', app_id, account_id, authorization_id: null }, expires_at)
        writeAudit(audit)
        return 'recorded'
      }),
    find: (hash, now) =>
      db.query(() => {
        const row = live.get(hash, now)
        return row ? (JSON.parse(row.payload) as Decision) : null
      }),
  }
}
