import type { Key, Keys } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

const columns = 'id, use, secret, created_at, retired_at'

export function createKeys(db: Database, writeAudit: WriteAudit): Keys {
  const list = db.prepare<Key>(`select ${columns} from keys where use = ? order by created_at desc, id desc`)
  const insert = db.prepare(`insert into keys (${columns}) values (?, ?, ?, ?, ?)`)
  const insertFirst = db.prepare(
    `insert into keys (${columns}) select ?1, ?2, ?3, ?4, ?5 where not exists (select 1 from keys where use = ?2)`,
  )
  const retire = db.prepare('update keys set retired_at = ? where use = ? and id <> ? and retired_at is null')
  const remove = db.prepare('delete from keys where use = ? and retired_at < ?')

  return {
    list: use => db.query(() => list.all(use)),
    addFirst: ({ id, use, secret, created_at, retired_at }) =>
      db.write(() => void insertFirst.run(id, use, secret, created_at, retired_at)),
    rotate: (keys, remove_before, audit) =>
      db.write(() => {
        for (const { id, use, secret, created_at, retired_at } of keys) {
          insert.run(id, use, secret, created_at, retired_at)
          retire.run(created_at, use, id)
          remove.run(use, remove_before)
        }
        writeAudit(audit)
      }),
  }
}
