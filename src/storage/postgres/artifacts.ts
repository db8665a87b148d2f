import type { Artifact, Artifacts } from '../port.ts'
import type { Database } from './database.ts'

export function createArtifacts(db: Database): Artifacts {
  return {
    async put(kind, hash, payload, expires_at) {
      // What has been consumed stays so when it is written again.
      await db.query(
        `insert into artifacts (kind, hash, payload, expires_at) values ($1, $2, $3, $4)
         on conflict (kind, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
        [kind, hash, payload, expires_at],
      )
    },
    async find(kind, hash) {
      const [row] = await db.query<Artifact>(
        'select payload, expires_at, consumed_at from artifacts where kind = $1 and hash = $2',
        [kind, hash],
      )
      return row ?? null
    },
    async consume(kind, hash, now) {
      // Of parallel updates the second waits for the first, looks again and finds nothing left to do.
      const { count } = await db.query(
        'update artifacts set consumed_at = $3 where kind = $1 and hash = $2 and consumed_at is null',
        [kind, hash, now],
      )
      return count === 1
    },
    async remove(kind, hash) {
      await db.query('delete from artifacts where kind = $1 and hash = $2', [kind, hash])
    },
  }
}
