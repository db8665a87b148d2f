import type { AppSecret, Apps } from '../../port/index.ts'
import { appColumns, type AppRow, secretColumns, toApp } from '../../shared/apps.ts'
import { withoutScopeSql } from '../../shared/scopes.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { Value } from '../connection/values.ts'

const insertSecret = `insert into app_secrets (${secretColumns}) values ($1, $2, $3, $4, $5)`

export function createApps(db: Database): Apps {
  return {
    create: (app, secret, audit) =>
      db.write(async tx => {
        const { id, name, website, publisher, scope, owner_id, created_at } = app
        const { disabled_at, disabled_by_owner } = app
        const uris = JSON.stringify(app.redirect_uris)
        tx.send(
          `insert into apps
             (id, name, website, publisher, scope, redirect_uris, public, owner_id, created_at, disabled_at,
              disabled_by_owner)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
          [
            id,
            name,
            website,
            publisher,
            scope,
            uris,
            app.public,
            owner_id,
            created_at,
            disabled_at,
            disabled_by_owner,
          ],
        )
        if (secret) tx.send(insertSecret, secretValues(secret))
        writeAudit(tx, audit)
      }),
    async find(id) {
      const [row] = await db.query<AppRow>(`select ${appColumns} from apps where id = $1`, [id])
      return row ? toApp(row) : null
    },
    async list() {
      return (await db.query<AppRow>(`select ${appColumns} from apps order by created_at, id`)).map(toApp)
    },
    async ofOwner(owner_id) {
      const rows = await db.query<AppRow>(
        `select ${appColumns} from apps where owner_id = $1 order by created_at desc, id desc`,
        [owner_id],
      )
      return rows.map(toApp)
    },
    async redirectingTo(start) {
      const rows = await db.query<AppRow>(
        `select ${appColumns} from apps
         where disabled_at is null
           and exists (select 1 from json_array_elements_text(redirect_uris::json) as uri
             where uri = $1 or starts_with(uri, $1 || '/'))
         order by id`,
        [start],
      )
      return rows.map(toApp)
    },
    update: ({ id, name, website, publisher, redirect_uris, scope }, lost, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `update apps set name = $2, website = $3, publisher = $4, redirect_uris = $5, scope = coalesce($6, scope)
           where id = $1`,
          [id, name, website, publisher, JSON.stringify(redirect_uris), scope],
        )
        // The reference table first: Citus refuses to change it after shards of another table.
        for (const table of ['authorizations', 'authorization_stores']) {
          for (const name of lost)
            tx.send(
              `update ${table} set scope = ${withoutScopeSql('scope', '$2::text')}
               where app_id = $1 and strpos(scope, $2) > 0`,
              [id, name],
            )
        }
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    async secrets(app_id) {
      const rows = await db.query<AppSecret>(
        `select ${secretColumns} from app_secrets where app_id = $1 order by created_at desc, id desc`,
        [app_id],
      )
      return [...rows]
    },
    addSecret: (secret, keep, audit) =>
      db.write(async tx => {
        // Without the lock, two rotations at once would each keep the other's secret.
        tx.send('select 1 from apps where id = $1 for update', [secret.app_id])
        tx.send(insertSecret, secretValues(secret))
        // Keeps the new secret even if the others have a later created_at.
        tx.send(
          `delete from app_secrets where app_id = $1 and id in (
             select id from app_secrets where app_id = $1 and id <> $2 order by created_at desc, id desc offset $3)`,
          [secret.app_id, secret.id, keep - 1],
        )
        writeAudit(tx, audit)
      }),
    async touchSecret(app_id, id, now) {
      // At most one write a minute, so a secret in steady use takes no lock.
      await db.query(
        `update app_secrets set last_used_at = $3
         where app_id = $1 and id = $2 and (last_used_at is null or last_used_at / 60 < $3::bigint / 60)`,
        [app_id, id, now],
      )
    },
    removeSecret: (app_id, id, audit) =>
      db.write(async tx => {
        // Without the lock, two removals at once could remove both secrets.
        tx.send('select 1 from apps where id = $1 for update', [app_id])
        const { count } = await tx.query(
          `delete from app_secrets where app_id = $1 and id = $2
           and exists (select 1 from app_secrets as other where other.app_id = $1 and other.id <> $2)`,
          [app_id, id],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
    setDisabled: (id, disabled_at, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `update apps set disabled_at = $2, disabled_by_owner = false
           where id = $1
             and ((disabled_at is null) <> ($2::bigint is null) or ($2::bigint is not null and disabled_by_owner))`,
          [id, disabled_at],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1 || (await tx.query('select 1 from apps where id = $1', [id])).length === 1
      }),
    setDisabledByOwner: (id, disabled_at, audit) =>
      db.write(async tx => {
        const { count } = await tx.query(
          `update apps set disabled_at = $2, disabled_by_owner = $2::bigint is not null
           where id = $1 and case when $2::bigint is null then disabled_by_owner else disabled_at is null end`,
          [id, disabled_at],
        )
        if (count === 1) writeAudit(tx, audit)
        return count === 1
      }),
  }
}

const secretValues = ({ id, app_id, hash, created_at, last_used_at }: AppSecret): Value[] => [
  id,
  app_id,
  hash,
  created_at,
  last_used_at,
]
