import type { Artifact, Artifacts } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

export function createArtifacts(db: Database, writeAudit: WriteAudit): Artifacts {
  // A consumed artifact stays consumed when it is written again.
  const put = db.prepare(
    `insert into artifacts (kind, hash, payload, expires_at) values (?, ?, ?, ?)
     on conflict (kind, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
  )
  const find = db.prepare<Artifact>(
    'select payload, expires_at, consumed_at from artifacts where kind = ? and hash = ?',
  )
  const consume = db.prepare(
    'update artifacts set consumed_at = ? where kind = ? and hash = ? and consumed_at is null',
  )
  const hasRecord = db.prepare('select 1 from artifacts where kind = ? and hash = ? and expires_at > ?')
  const remove = db.prepare('delete from artifacts where kind = ? and hash = ?')

  return {
    put: (kind, hash, payload, expires_at, audit) =>
      db.write(() => {
        put.run(kind, hash, payload, expires_at)
        writeAudit(audit)
      }),
    find: (kind, hash) => db.query(() => find.get(kind, hash) ?? null),
    consume: (kind, hash, now, next, record) =>
      db.write(() => {
        if (record && hasRecord.get(record[0], record[1], now)) return false
        const first = consume.run(now, kind, hash).changes === 1
        if (first) put.run(...next)
        if (first && record) put.run(...record)
        return first
      }),
    remove: (kind, hash) => db.write(() => remove.run(kind, hash).changes === 1),
  }
}
