import type { Key, Keys } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

const columns = 'id, use, secret, created_at, retired_at'
/** Does not block readers; nodes add keys one after the other, and each sees the keys of the one before. */
const lock = 'lock table keys in share row exclusive mode'

export function createKeys(db: Database): Keys {
  return {
    async list(use) {
      const rows = await db.query<Key>(
        `select ${columns} from keys where use = $1 order by created_at desc, id desc`,
        [use],
      )
      return [...rows]
    },
    addFirst: ({ id, use, secret, created_at, retired_at }) =>
      db.write(async tx => {
        tx.send(lock)
        tx.send(
          `insert into keys (${columns})
           select $1, $2::text, $3, $4, $5 where not exists (select 1 from keys where use = $2)`,
          [id, use, secret, created_at, retired_at],
        )
      }),
    rotate: (keys, remove_before, audit) =>
      db.write(async tx => {
        tx.send(lock)
        for (const { id, use, secret, created_at, retired_at } of keys) {
          tx.send(`insert into keys (${columns}) values ($1, $2, $3, $4, $5)`, [
            id,
            use,
            secret,
            created_at,
            retired_at,
          ])
          tx.send('update keys set retired_at = $3 where use = $1 and id <> $2 and retired_at is null', [
            use,
            id,
            created_at,
          ])
          tx.send('delete from keys where use = $1 and retired_at < $2', [use, remove_before])
        }
        writeAudit(tx, audit)
      }),
  }
}
