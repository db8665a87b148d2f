import type { RevokedTokens } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createRevokedTokens(db: Database): RevokedTokens {
  return {
    async add(jti, expires_at) {
      await db.query(
        'insert into revoked_tokens (jti, expires_at) values ($1, $2) on conflict (jti) do nothing',
        [jti, expires_at],
      )
    },
    async has(jti) {
      return (await db.query('select 1 from revoked_tokens where jti = $1', [jti])).length === 1
    },
  }
}
