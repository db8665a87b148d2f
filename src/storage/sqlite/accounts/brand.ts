import { type Brand, type BrandStore, platformOwner } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'
import type { WriteAudit } from './audit.ts'

export function createBrandStore(db: Database, writeAudit: WriteAudit): BrandStore {
  const get = db.prepare<Brand>('select name, accent, support, logo from brand where key = ?')
  const put = db.prepare(
    `insert into brand (key, name, accent, support) values (?, ?, ?, ?)
     on conflict (key) do update set name = excluded.name, accent = excluded.accent, support = excluded.support`,
  )
  return {
    find: () =>
      db.query(() => ({ name: null, accent: null, support: null, logo: null, ...get.get(platformOwner) })),
    save: ({ name, accent, support }, audit) =>
      db.write(() => {
        put.run(platformOwner, name, accent, support)
        writeAudit(audit)
      }),
  }
}
