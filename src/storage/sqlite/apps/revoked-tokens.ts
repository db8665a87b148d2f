import type { RevokedTokens } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

/** A row of revoked_tokens is one token, or the generations of a family from its own on. */
export const isRevoked = (jti: string, family: string, generation: string): string =>
  `(exists (select 1 from revoked_tokens where jti = ${jti}) or exists (
    select 1 from revoked_tokens where jti = ${family} and generation <= ${generation}))`

export function createRevokedTokens(db: Database, writeAudit: WriteAudit): RevokedTokens {
  const add = db.prepare(
    'insert into revoked_tokens (jti, expires_at) values (?, ?) on conflict (jti) do nothing',
  )
  const end = db.prepare(
    `insert into revoked_tokens (jti, expires_at, generation) values (?, ?, ?)
     on conflict (jti) do update set generation = excluded.generation, expires_at = excluded.expires_at
     where revoked_tokens.generation > excluded.generation`,
  )
  const find = db.prepare<{ revoked: number }>(`select ${isRevoked('?1', '?2', '?3')} as revoked`)

  return {
    add: (jti, expires_at) => db.write(() => void add.run(jti, expires_at)),
    endFamily: ({ id, generation }, expires_at, audit) =>
      db.write(() => {
        if (end.run(id, expires_at, generation).changes === 1) writeAudit(audit)
      }),
    has: (jti, family) =>
      db.query(() => find.get(jti, family?.id ?? null, family?.generation ?? 0)?.revoked === 1),
  }
}
