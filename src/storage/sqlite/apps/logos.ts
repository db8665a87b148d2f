import { type Logo, type Logos, platformOwner } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

export function createLogos(db: Database, writeAudit: WriteAudit): Logos {
  const get = db.prepare<Omit<Logo, 'content'> & { content: string }>(
    'select type, version, content from logos where owner_id = ?',
  )
  const put = db.prepare(
    `insert into logos (owner_id, version, type, content) values (?, ?, ?, ?)
     on conflict (owner_id) do update set version = excluded.version, type = excluded.type, content = excluded.content`,
  )
  const remove = db.prepare('delete from logos where owner_id = ?')
  const atApp = db.prepare('update apps set logo = ?2 where id = ?1 and logo is not ?2')
  // A logo may be the first part of the brand, and make its row.
  const atPlatform = db.prepare(
    `insert into brand (key, logo) values (?1, ?2)
     on conflict (key) do update set logo = excluded.logo where brand.logo is not excluded.logo`,
  )
  const removeAtPlatform = db.prepare('update brand set logo = ?2 where key = ?1 and logo is not ?2')
  return {
    find: owner_id =>
      db.query(() => {
        const row = get.get(owner_id)
        return row ? { ...row, content: Buffer.from(row.content, 'base64') } : null
      }),
    set: (owner_id, logo, audit) =>
      db.write(() => {
        const owner = owner_id !== platformOwner ? atApp : logo ? atPlatform : removeAtPlatform
        if (owner.run(owner_id, logo?.version ?? null).changes === 0) return false
        if (logo) put.run(owner_id, logo.version, logo.type, logo.content.toString('base64'))
        else remove.run(owner_id)
        writeAudit(audit)
        return true
      }),
  }
}
