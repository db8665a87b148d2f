import { type Brand, type BrandStore, platformOwner } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'
import { writeAudit } from './audit.ts'

export function createBrandStore(db: Database): BrandStore {
  return {
    async find() {
      const [row] = await db.query<Brand>('select name, accent, support, logo from brand where key = $1', [
        platformOwner,
      ])
      return row ?? { name: null, accent: null, support: null, logo: null }
    },
    save: ({ name, accent, support }, audit) =>
      db.write(async tx => {
        tx.send(
          `insert into brand (key, name, accent, support) values ($1, $2, $3, $4)
           on conflict (key) do update
             set name = excluded.name, accent = excluded.accent, support = excluded.support`,
          [platformOwner, name, accent, support],
        )
        writeAudit(tx, audit)
      }),
  }
}
