import { type Logo, type Logos, platformOwner } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

export function createLogos(db: Database): Logos {
  return {
    async find(owner_id) {
      const [row] = await db.query<Omit<Logo, 'content'> & { content: string }>(
        'select type, version, content from logos where owner_id = $1',
        [owner_id],
      )
      return row ? { ...row, content: Buffer.from(row.content, 'base64') } : null
    },
    set: (owner_id, logo, audit) =>
      db.write(async tx => {
        // Also locks the owner's row: of two changes at once the second waits.
        const { count } = await tx.query(owner_id === platformOwner ? atPlatform(logo) : atApp, [
          owner_id,
          logo?.version ?? null,
        ])
        if (count === 0) return false
        if (logo) tx.send(put, [owner_id, logo.version, logo.type, logo.content.toString('base64')])
        else tx.send('delete from logos where owner_id = $1', [owner_id])
        writeAudit(tx, audit)
        return true
      }),
  }
}

const atApp = 'update apps set logo = $2 where id = $1 and logo is distinct from $2'

/** A logo may be the first part of the brand, and make its row. */
const atPlatform = (logo: Logo | null): string =>
  logo === null
    ? 'update brand set logo = $2 where key = $1 and logo is distinct from $2'
    : `insert into brand (key, logo) values ($1, $2)
       on conflict (key) do update set logo = excluded.logo where brand.logo is distinct from excluded.logo`

const put = `insert into logos (owner_id, version, type, content) values ($1, $2, $3, $4)
  on conflict (owner_id) do update
    set version = excluded.version, type = excluded.type, content = excluded.content`
