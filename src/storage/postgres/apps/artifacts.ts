import type { Artifact, Artifacts } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

/** A consumed artifact stays consumed when it is written again. */
const overwriting =
  'on conflict (kind, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at'

const put = `insert into artifacts (kind, hash, payload, expires_at) values ($1, $2, $3, $4) ${overwriting}`

/** Changes nothing when a record with this key is stored and has not expired. */
const addRecord = `${put} where artifacts.expires_at <= $5`

// Of parallel updates the second waits for the first, checks the condition again and changes nothing.
const consumeAndPut = `with used as (
    update artifacts set consumed_at = $3 where kind = $1 and hash = $2 and consumed_at is null returning 1)
  insert into artifacts (kind, hash, payload, expires_at) select $4, $5, $6, $7::bigint from used ${overwriting}`

/** Ends a transaction without its changes. */
class RecordExists extends Error {}

export function createArtifacts(db: Database): Artifacts {
  return {
    async put(kind, hash, payload, expires_at, audit) {
      const values = [kind, hash, payload, expires_at]
      if (!audit) return void (await db.query(put, values))
      await db.write(async tx => {
        await tx.query(put, values)
        writeAudit(tx, audit)
      })
    },
    async find(kind, hash) {
      const [row] = await db.query<Artifact>(
        'select payload, expires_at, consumed_at from artifacts where kind = $1 and hash = $2',
        [kind, hash],
      )
      return row ?? null
    },
    async consume(kind, hash, now, next, record) {
      const values = [kind, hash, now, ...next]
      if (!record) return (await db.query(consumeAndPut, values)).count === 1
      try {
        return await db.write(async tx => {
          if ((await tx.query(consumeAndPut, values)).count !== 1) return false
          if ((await tx.query(addRecord, [...record, now])).count !== 1) throw new RecordExists()
          return true
        })
      } catch (error) {
        if (error instanceof RecordExists) return false
        throw error
      }
    },
    async remove(kind, hash) {
      const { count } = await db.query('delete from artifacts where kind = $1 and hash = $2', [kind, hash])
      return count === 1
    },
  }
}
