import type { Artifact, Artifacts } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

/** A consumed artifact stays consumed when it is written again. */
const overwriting =
  'on conflict (kind, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at'

export function createArtifacts(db: Database): Artifacts {
  return {
    async put(...artifact) {
      await db.query(
        `insert into artifacts (kind, hash, payload, expires_at) values ($1, $2, $3, $4) ${overwriting}`,
        artifact,
      )
    },
    async find(kind, hash) {
      const [row] = await db.query<Artifact>(
        'select payload, expires_at, consumed_at from artifacts where kind = $1 and hash = $2',
        [kind, hash],
      )
      return row ?? null
    },
    async consume(kind, hash, now, next) {
      // Of parallel updates the second waits for the first, checks the condition again and changes nothing.
      const { count } = await db.query(
        `with used as (
           update artifacts set consumed_at = $3 where kind = $1 and hash = $2 and consumed_at is null returning 1)
         insert into artifacts (kind, hash, payload, expires_at) select $4, $5, $6, $7::bigint from used ${overwriting}`,
        [kind, hash, now, ...next],
      )
      return count === 1
    },
    async remove(kind, hash) {
      await db.query('delete from artifacts where kind = $1 and hash = $2', [kind, hash])
    },
  }
}
