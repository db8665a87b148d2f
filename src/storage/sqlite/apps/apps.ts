import type { AppSecret, Apps } from '../../port/index.ts'
import { appColumns, type AppRow, secretColumns, toApp } from '../../shared/apps.ts'
import { withoutScopeSql } from '../../shared/scopes.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

export function createApps(db: Database, writeAudit: WriteAudit): Apps {
  const insert = db.prepare(
    `insert into apps (id, name, website, publisher, scope, redirect_uris, public, owner_id, created_at, disabled_at,
       disabled_by_owner)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `update apps set name = ?, website = ?, publisher = ?, redirect_uris = ?, scope = coalesce(?, scope) where id = ?`,
  )
  const removeScope = ['authorizations', 'authorization_stores'].map(table =>
    db.prepare(
      `update ${table} set scope = ${withoutScopeSql('scope', '?2')} where app_id = ?1 and instr(scope, ?2) > 0`,
    ),
  )
  const byId = db.prepare<AppRow>(`select ${appColumns} from apps where id = ?`)
  const all = db.prepare<AppRow>(`select ${appColumns} from apps order by created_at, id`)
  const ofOwner = db.prepare<AppRow>(
    `select ${appColumns} from apps where owner_id = ? order by created_at desc, id desc`,
  )
  const redirectingTo = db.prepare<AppRow>(
    `select ${appColumns} from apps
     where disabled_at is null
       and exists (select 1 from json_each(redirect_uris)
         where value = ?1 or substr(value, 1, length(?1) + 1) = ?1 || '/')
     order by id`,
  )
  const setDisabled = db.prepare(
    `update apps set disabled_at = ?1, disabled_by_owner = 0
     where id = ?2 and ((disabled_at is null) <> (?1 is null) or (?1 is not null and disabled_by_owner))`,
  )
  const setDisabledByOwner = db.prepare(
    `update apps set disabled_at = ?1, disabled_by_owner = ?1 is not null
     where id = ?2 and iif(?1 is null, disabled_by_owner, disabled_at is null)`,
  )
  const insertSecret = db.prepare(`insert into app_secrets (${secretColumns}) values (?, ?, ?, ?, ?)`)
  const secrets = db.prepare<AppSecret>(
    `select ${secretColumns} from app_secrets where app_id = ? order by created_at desc, id desc`,
  )
  // Keeps the new secret even if the others have a later created_at.
  const dropOldSecrets = db.prepare(
    `delete from app_secrets where id in (
       select id from app_secrets where app_id = ? and id <> ? order by created_at desc, id desc limit -1 offset ?)`,
  )
  const removeSecret = db.prepare(
    `delete from app_secrets where app_id = ?1 and id = ?2
     and exists (select 1 from app_secrets as other where other.app_id = ?1 and other.id <> ?2)`,
  )
  const touch = db.prepare(
    `update app_secrets set last_used_at = ?1
     where app_id = ?3 and id = ?2 and (last_used_at is null or last_used_at / 60 < cast(?1 as integer) / 60)`,
  )

  const addSecret = ({ id, app_id, hash, created_at, last_used_at }: AppSecret) =>
    insertSecret.run(id, app_id, hash, created_at, last_used_at)

  return {
    create: (app, secret, audit) =>
      db.write(() => {
        const uris = JSON.stringify(app.redirect_uris)
        const { id, name, website, publisher, scope, owner_id, created_at, disabled_at } = app
        const isPublic = app.public ? 1 : 0
        const byOwner = app.disabled_by_owner ? 1 : 0
        insert.run(
          id,
          name,
          website,
          publisher,
          scope,
          uris,
          isPublic,
          owner_id,
          created_at,
          disabled_at,
          byOwner,
        )
        if (secret) addSecret(secret)
        writeAudit(audit)
      }),
    find: id =>
      db.query(() => {
        const row = byId.get(id)
        return row ? toApp(row) : null
      }),
    list: () => db.query(() => all.all().map(toApp)),
    ofOwner: owner_id => db.query(() => ofOwner.all(owner_id).map(toApp)),
    redirectingTo: start => db.query(() => redirectingTo.all(start).map(toApp)),
    update: ({ id, name, website, publisher, redirect_uris, scope }, lost, audit) =>
      db.write(() => {
        const uris = JSON.stringify(redirect_uris)
        const found = update.run(name, website, publisher, uris, scope, id).changes === 1
        for (const name of lost) for (const statement of removeScope) statement.run(id, name)
        if (found) writeAudit(audit)
        return found
      }),
    secrets: app_id => db.query(() => secrets.all(app_id)),
    addSecret: (secret, keep, audit) =>
      db.write(() => {
        addSecret(secret)
        dropOldSecrets.run(secret.app_id, secret.id, keep - 1)
        writeAudit(audit)
      }),
    touchSecret: (app_id, id, now) => db.write(() => void touch.run(now, id, app_id)),
    removeSecret: (app_id, id, audit) =>
      db.write(() => {
        const removed = removeSecret.run(app_id, id).changes === 1
        if (removed) writeAudit(audit)
        return removed
      }),
    setDisabled: (id, disabled_at, audit) =>
      db.write(() => {
        if (setDisabled.run(disabled_at, id).changes === 1) writeAudit(audit)
        return byId.get(id) !== undefined
      }),
    setDisabledByOwner: (id, disabled_at, audit) =>
      db.write(() => {
        const changed = setDisabledByOwner.run(disabled_at, id).changes === 1
        if (changed) writeAudit(audit)
        return changed
      }),
  }
}
