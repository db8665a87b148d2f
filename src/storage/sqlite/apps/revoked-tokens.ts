import type { RevokedTokens } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createRevokedTokens(db: Database): RevokedTokens {
  const add = db.prepare(
    'insert into revoked_tokens (jti, expires_at) values (?, ?) on conflict (jti) do nothing',
  )
  const find = db.prepare('select 1 from revoked_tokens where jti = ?')

  return {
    add: (jti, expires_at) => db.write(() => void add.run(jti, expires_at)),
    has: jti => db.look(() => find.get(jti) !== undefined),
  }
}
