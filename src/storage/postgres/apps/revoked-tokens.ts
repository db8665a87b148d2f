import type { RevokedTokens } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { isRevoked, tokenValues } from './access.ts'

export function createRevokedTokens(db: Database): RevokedTokens {
  return {
    async add(jti, expires_at) {
      await db.query(
        'insert into revoked_tokens (jti, expires_at) values ($1, $2) on conflict (jti) do nothing',
        [jti, expires_at],
      )
    },
    endFamily: ({ id, generation }, expires_at, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `insert into revoked_tokens (jti, expires_at, generation) values ($1, $2, $3)
           on conflict (jti) do update set generation = excluded.generation, expires_at = excluded.expires_at
           where revoked_tokens.generation > excluded.generation`,
          [id, expires_at, generation],
        )
        if (count === 1) writeAudit(tx, audit)
      }),
    async has(jti, family) {
      const [row] = await db.query<{ revoked: boolean }>(
        `select ${isRevoked('$1', '$2', '$3')} as revoked`,
        tokenValues(jti, family),
      )
      return row?.revoked === true
    },
  }
}
