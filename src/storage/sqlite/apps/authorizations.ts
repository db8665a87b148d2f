import type { Authorization, Authorizations, ConnectedApp, StoreLink } from '../../port/index.ts'
import type { Seconds } from '../../../lib/clock.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import { changesOf } from '../../shared/webhooks.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { RecordAuthorizationChanges } from '../webhooks/outbox.ts'

const columns = 'id, app_id, account_id, scope, created_at, updated_at, revoked_at'

type Saved = Parameters<Authorizations['save']>

/** The checks and the write of `Authorizations.save`, for the current transaction. */
export type SaveAuthorization = (
  authorization: Saved[0],
  store_ids: Saved[1],
  mode: Saved[2],
  now: Saved[3],
) => string | null

export function createAuthorizationWriter(
  db: Database,
  recordChanges: RecordAuthorizationChanges,
): SaveAuthorization {
  const live = db.prepare<{ id: string; scope: string }>(
    `select id, scope from authorizations
     where app_id = ? and coalesce(account_id, '') = coalesce(?, '') and revoked_at is null`,
  )
  const insert = db.prepare(
    `insert into authorizations (id, app_id, account_id, scope, created_at, updated_at) values (?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare('update authorizations set scope = ?, updated_at = ? where id = ?')
  // A store that is already linked keeps its `since`.
  const link = db.prepare(
    `insert into authorization_stores (store_id, app_id, authorization_id, since, scope) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
  )
  const rescope = db.prepare(
    `update authorization_stores set scope = ?4
     where store_id = ?1 and app_id = ?2 and authorization_id = ?3 and scope <> ?4`,
  )
  const enabled = db.prepare('select 1 from accounts where id = ? and disabled_at is null')
  const ownedBy = db.prepare('select 1 from stores where id = ? and merchant = ?')
  const linked = db.prepare<{ store_id: bigint }>(
    'select store_id from authorization_stores where authorization_id = ?',
    'bigint',
  )
  const unlink = db.prepare('delete from authorization_stores where authorization_id = ? and store_id = ?')

  return ({ id: newId, app_id, account_id, scope: allowed, merchant }, store_ids, mode, now) => {
    if (merchant !== undefined) {
      if (!enabled.get(account_id) || !store_ids.every(id => ownedBy.get(id, merchant))) return null
    }
    const existing = live.get(app_id, account_id)
    if (!existing && mode === 'change') return null
    const id = existing?.id ?? newId
    const scope = existing && mode === 'change' ? existing.scope : allowed
    if (existing) update.run(scope, now, id)
    else insert.run(id, app_id, account_id, scope, now, now)
    const kept = new Set(store_ids)
    const removed =
      mode === 'add'
        ? []
        : linked
            .all(id)
            .map(({ store_id }) => store_id)
            .filter(store_id => !kept.has(store_id))
    for (const store_id of removed) unlink.run(id, store_id)
    const added = [...kept].filter(store_id => link.run(store_id, app_id, id, now, scope).changes === 1)
    const rescoped = [...kept].filter(store_id => rescope.run(store_id, app_id, id, scope).changes === 1)
    const event = existing ? 'authorization.changed' : 'authorization.granted'
    if (!existing || added.length + removed.length + rescoped.length > 0)
      recordChanges(
        [{ authorization_id: id, event, added, removed, rescoped: rescoped.length > 0 }],
        now * 1000,
      )
    return id
  }
}

export function createAuthorizations(
  db: Database,
  writeAudit: WriteAudit,
  saveAuthorization: SaveAuthorization,
  recordChanges: RecordAuthorizationChanges,
): Authorizations {
  const revokeOne = createRevocation(db, recordChanges)
  const byId = db.prepare<Authorization>(`select ${columns} from authorizations where id = ?`)
  const live = db.prepare<Authorization>(
    `select ${columns} from authorizations
     where app_id = ? and coalesce(account_id, '') = coalesce(?, '') and revoked_at is null`,
  )
  const touch = db.prepare('update authorizations set updated_at = ? where id = ?')
  const liveOfApp = db.prepare<{ id: string }>(
    'select id from authorizations where app_id = ? and revoked_at is null order by id',
  )
  const storeIds = db.prepare<{ store_id: bigint }>(
    'select store_id from authorization_stores where authorization_id = ? order by store_id',
    'bigint',
  )
  const unlinkStore = db.prepare<{ authorization_id: string }>(
    'delete from authorization_stores where store_id = ? and app_id = ? returning authorization_id',
  )

  const connected = db.prepare<Omit<ConnectedApp, 'stores'>>(
    `select authorizations.id as authorization_id, app_id, apps.name as app_name, authorizations.created_at,
       authorizations.scope
     from authorizations join apps on apps.id = app_id
     where account_id = ?1 and revoked_at is null and (?2 is null or app_id = ?2) order by app_id`,
  )
  // Apps times stores of a merchant: tuples take a fraction of the time.
  const connectedStores = db.prepare<[id: bigint, since: bigint, activated_at: bigint | null]>(
    `select linked.store_id, since, activated_at from authorization_stores as linked
     left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
     where linked.authorization_id = ? order by linked.store_id`,
    'bigint',
    'tuples',
  )
  const links = db.prepare<StoreLink>(
    `select linked.store_id, linked.app_id, linked.scope, since, activated_at from authorization_stores as linked
     join authorizations on authorizations.id = linked.authorization_id
     left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
     where linked.store_id in (select value from json_each(?1)) and account_id is null
       and (?2 is null or linked.app_id = ?2)
     order by linked.store_id, linked.app_id`,
    'bigint',
  )

  return {
    find: id => db.query(() => byId.get(id) ?? null),
    findLive: (app_id, account_id) => db.query(() => live.get(app_id, account_id) ?? null),
    save: (authorization, store_ids, mode, now, audit) =>
      db.write(() => {
        const id = saveAuthorization(authorization, store_ids, mode, now)
        if (id !== null) writeAudit(audit)
        return id
      }),
    storeIds: id => db.query(() => storeIds.all(id).map(({ store_id }) => store_id)),
    ofAccount: (account_id, app_id) =>
      db.snapshot(() =>
        connected.all(account_id, app_id ?? null).map(app => ({
          ...app,
          stores: connectedStores.all(app.authorization_id).map(([id, since, activated_at]) => ({
            id,
            since: Number(since),
            activated_at: activated_at === null ? null : Number(activated_at),
          })),
        })),
      ),
    linksTo: (store_ids, app_id) => db.query(() => links.all(`[${store_ids.join(',')}]`, app_id ?? null)),
    revoke: (id, now, audit) =>
      db.write(() => {
        const revoked = revokeOne(id, now)
        if (revoked) writeAudit(audit)
        return revoked
      }),
    revokeApp: (app_id, store_ids, now, audit) =>
      db.write(() => {
        if (store_ids === null) {
          const revoked = liveOfApp.all(app_id)
          for (const { id } of revoked) revokeOne(id, now)
          if (revoked.length > 0) writeAudit(audit)
          return revoked.length
        }
        const unlinked = store_ids.flatMap(store_id =>
          unlinkStore.all(store_id, app_id).map(({ authorization_id }) => ({ authorization_id, store_id })),
        )
        const changes = changesOf(unlinked)
        for (const { authorization_id } of changes) touch.run(now, authorization_id)
        recordChanges(changes, now * 1000)
        if (changes.length > 0) writeAudit(audit)
        return changes.length
      }),
  }
}

/** Revokes an authorization in the current transaction; true when this call did. */
export function createRevocation(
  db: Database,
  recordChanges: RecordAuthorizationChanges,
): (id: string, now: Seconds) => boolean {
  const revoke = db.prepare(
    'update authorizations set revoked_at = ?1, updated_at = ?1 where id = ?2 and revoked_at is null',
  )
  const unlink = db.prepare<{ store_id: bigint }>(
    'delete from authorization_stores where authorization_id = ? returning store_id',
    'bigint',
  )
  return (id, now) => {
    const removed = unlink.all(id).map(({ store_id }) => store_id)
    if (revoke.run(now, id).changes === 0) return false
    const event = 'authorization.revoked'
    const sorted = sortedIds(removed)
    recordChanges([{ authorization_id: id, event, added: [], removed: sorted, rescoped: false }], now * 1000)
    return true
  }
}
