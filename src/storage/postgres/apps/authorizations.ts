import type { Seconds } from '../../../lib/clock.ts'
import type { Authorization, Authorizations, ConnectedApp, StoreLink } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import { changesOf } from '../../shared/webhooks.ts'
import type { Transaction } from '../connection/transaction.ts'
import { recordAuthorizationChanges } from '../webhooks/outbox.ts'

type ConnectedStore = ConnectedApp['stores'][number] & { authorization_id: string }

const columns = 'id, app_id, account_id, scope, created_at, updated_at, revoked_at'

// Without a scope, the authorization keeps its own.
const updateLive = `update authorizations set scope = coalesce($1, scope), updated_at = $2
  where app_id = $3 and coalesce(account_id, '') = coalesce($4, '') and revoked_at is null returning id, scope`

// The unique index of live authorizations decides between parallel consents; RETURNING gives the live one.
const upsertLive = `insert into authorizations (id, app_id, account_id, scope, created_at, updated_at)
  values ($5, $3, $4, $1, $2, $2)
  on conflict (app_id, coalesce(account_id, '')) where revoked_at is null
  do update set scope = excluded.scope, updated_at = excluded.updated_at
  returning id, scope`

/** Every change locks the authorization first and then its stores, so that a change and a revocation never mix. */
export function createAuthorizations(db: Database): Authorizations {
  const one = async (where: string, values: (string | null)[]) => {
    const [row] = await db.query<Authorization>(
      `select ${columns} from authorizations where ${where}`,
      values,
    )
    return row ?? null
  }

  return {
    find: id => one('id = $1', [id]),
    findLive: (app_id, account_id) =>
      one(`app_id = $1 and coalesce(account_id, '') = coalesce($2, '') and revoked_at is null`, [
        app_id,
        account_id,
      ]),
    save: (authorization, store_ids, mode, now, audit) =>
      db.write(async tx => {
        if (!(await ownsStores(tx, authorization, store_ids))) return null
        const id = await saveAuthorization(tx, authorization, store_ids, mode, now)
        if (id !== null) writeAudit(tx, audit)
        return id
      }),
    async storeIds(id) {
      const rows = await db.query<{ store_id: bigint }>(
        'select store_id from authorization_stores where authorization_id = $1 order by store_id',
        [id],
      )
      return rows.map(({ store_id }) => store_id)
    },
    async ofAccount(account_id, app_id) {
      const apps = await db.query<Omit<ConnectedApp, 'stores'>>(
        `select authorizations.id as authorization_id, app_id, apps.name as app_name, authorizations.created_at,
           authorizations.scope
         from authorizations join apps on apps.id = app_id
         where account_id = $1 and revoked_at is null and ($2::text is null or app_id = $2)
         order by app_id`,
        [account_id, app_id ?? null],
      )
      const stores = await db.planned<ConnectedStore>(
        `select linked.authorization_id, linked.store_id as id, since, activated_at
         from authorization_stores as linked
         left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
         where linked.authorization_id = any ($1::text[]) order by linked.store_id`,
        [apps.map(({ authorization_id }) => authorization_id)],
      )
      const storesOf = Map.groupBy(stores, ({ authorization_id }) => authorization_id)
      return apps.map(app => ({
        ...app,
        stores: (storesOf.get(app.authorization_id) ?? []).map(
          ({ authorization_id: _of, ...store }) => store,
        ),
      }))
    },
    linksTo: (store_ids, app_id) =>
      db.planned<StoreLink>(
        `select linked.store_id, linked.app_id, linked.scope, since, activated_at from authorization_stores as linked
         join authorizations on authorizations.id = linked.authorization_id
         left join activations on activations.store_id = linked.store_id and activations.app_id = linked.app_id
         where linked.store_id = any ($1::bigint[]) and account_id is null
           and ($2::text is null or linked.app_id = $2)
         order by linked.store_id, linked.app_id`,
        [store_ids, app_id ?? null],
      ),
    revoke: (id, now, audit) =>
      db.write(async tx => {
        const revoked = await revokeWhere(tx, 'id', id, now)
        if (revoked === 1) writeAudit(tx, audit)
        return revoked === 1
      }),
    revokeApp: (app_id, store_ids, now, audit) =>
      db.write(async tx => {
        if (store_ids === null) {
          const revoked = await revokeWhere(tx, 'app_id', app_id, now)
          if (revoked > 0) writeAudit(tx, audit)
          return revoked
        }
        await tx.query(
          `select 1 from authorizations where app_id = $1 and revoked_at is null order by id for update`,
          [app_id],
        )
        const unlinked = await tx.query<{ authorization_id: string; store_id: bigint }>(
          `delete from authorization_stores where app_id = $1 and store_id = any ($2::bigint[])
           returning authorization_id, store_id`,
          [app_id, store_ids],
        )
        const changes = changesOf(unlinked)
        const touched = changes.map(({ authorization_id }) => authorization_id)
        tx.send('update authorizations set updated_at = $2 where id = any ($1::text[])', [touched, now])
        await recordAuthorizationChanges(tx, changes, now * 1000)
        if (touched.length > 0) writeAudit(tx, audit)
        return touched.length
      }),
  }
}

/** Revokes the live authorizations of an app or account, or a single one; returns how many. */
export async function revokeWhere(
  tx: Transaction,
  column: 'id' | 'app_id' | 'account_id',
  value: string,
  now: Seconds,
): Promise<number> {
  const revoked = await tx.query<{ id: string }>(
    `update authorizations set revoked_at = $2, updated_at = $2
     where ${column} = $1 and revoked_at is null returning id`,
    [value, now],
  )
  // Only the revoked ones: a consent given at this moment is not among them.
  const ids = revoked.map(({ id }) => id)
  if (ids.length === 0) return 0
  const unlinked = await tx.query<{ authorization_id: string; store_id: bigint }>(
    `delete from authorization_stores where authorization_id = any ($1::text[])
     returning authorization_id, store_id`,
    [ids],
  )
  const storesOf = Map.groupBy(unlinked, row => row.authorization_id)
  const changes = ids.map(authorization_id => ({
    authorization_id,
    event: 'authorization.revoked' as const,
    added: [],
    removed: sortedIds((storesOf.get(authorization_id) ?? []).map(({ store_id }) => store_id)),
    rescoped: false,
  }))
  await recordAuthorizationChanges(tx, changes, now * 1000)
  return ids.length
}

type Saved = Parameters<Authorizations['save']>

/** The write of `Authorizations.save`, as a part of a transaction. */
export async function saveAuthorization(
  tx: Transaction,
  { id: newId, app_id, account_id, scope: allowed }: Saved[0],
  store_ids: Saved[1],
  mode: Saved[2],
  now: Saved[3],
): Promise<string | null> {
  // A change waits for a parallel revocation, and then finds no live authorization.
  const kept = mode === 'change' ? null : allowed
  const [live] = await tx.query<{ id: string; scope: string }>(updateLive, [kept, now, app_id, account_id])
  if (!live && mode === 'change') return null
  const [row] = live
    ? [live]
    : await tx.query<{ id: string; scope: string }>(upsertLive, [allowed, now, app_id, account_id, newId])
  if (!row) return null
  const { id, scope } = row
  const [removed, added, rescoped] = await Promise.all([
    mode === 'add'
      ? []
      : tx.query<{ store_id: bigint }>(
          `delete from authorization_stores where authorization_id = $1 and store_id <> all ($2::bigint[])
           returning store_id`,
          [id, store_ids],
        ),
    // A store that is already linked keeps its `since`.
    tx.query<{ store_id: bigint }>(
      `insert into authorization_stores (store_id, app_id, authorization_id, since, scope)
       select store_id, $2, $3, $4, $5 from unnest($1::bigint[]) as store_id on conflict do nothing returning store_id`,
      [store_ids, app_id, id, now, scope],
    ),
    tx.query(
      `update authorization_stores set scope = $3
       where authorization_id = $1 and store_id = any ($2::bigint[]) and scope <> $3 returning store_id`,
      [id, store_ids, scope],
    ),
  ])
  const isNew = !live && id === newId
  if (isNew || removed.length + added.length + rescoped.length > 0) {
    const change = {
      authorization_id: id,
      event: isNew ? ('authorization.granted' as const) : ('authorization.changed' as const),
      added: added.map(({ store_id }) => store_id),
      removed: removed.map(({ store_id }) => store_id),
      rescoped: rescoped.length > 0,
    }
    await recordAuthorizationChanges(tx, [change], now * 1000)
  }
  return id
}

/** Whether the account is enabled and the stores are the merchant's, where a merchant is given. */
export async function ownsStores(
  tx: Transaction,
  { account_id, merchant }: Pick<Saved[0], 'account_id' | 'merchant'>,
  store_ids: readonly bigint[],
): Promise<boolean> {
  if (merchant === undefined) return true
  // Locks the account: a parallel disabling waits, and then revokes this authorization.
  const [enabled, owned] = await Promise.all([
    tx.query('select 1 from accounts where id = $1 and disabled_at is null for share', [account_id]),
    areOwnedBy(tx, merchant, store_ids),
  ])
  return enabled.length === 1 && owned
}

/**
 * Locks the stores, so that none changes its merchant before the commit; a batch that does so waits, and then removes
 * the link. One statement for each store, in one round trip: a statement of Citus locks rows of one worker only.
 */
async function areOwnedBy(tx: Transaction, merchant: string, store_ids: readonly bigint[]): Promise<boolean> {
  const owned = await Promise.all(
    sortedIds(store_ids).map(id =>
      tx.query('select 1 from stores where id = $1 and merchant = $2 for share', [id, merchant]),
    ),
  )
  return owned.every(({ length }) => length === 1)
}
