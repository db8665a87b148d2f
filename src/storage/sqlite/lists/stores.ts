import { minInt64 } from '../../../lib/int64.ts'
import type { AccessClaim, MerchantStore, Stores } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { type Access, tokenWorks } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { createList } from './list.ts'

/** Spec 5.1: the scope that lists stores. */
const isListed = `instr(' ' || linked.scope || ' ', ' integration.store ') > 0`

export function createStores(db: Database, access: Access): Stores {
  const byAuthorization = createList(db, {
    docs: `authorization_stores as linked indexed by authorization_stores_by_authorization
           join stores on stores.id = linked.store_id where ${isListed} and linked.authorization_id = ?`,
    order: ['linked.store_id'],
  })
  // Grouped: two consents, or a consent and the operator's link, may name the same store.
  const byApp = createList(db, {
    docs: `authorization_stores as linked indexed by authorization_stores_by_app
           join stores on stores.id = linked.store_id where ${isListed} and linked.app_id = ?`,
    order: ['linked.store_id'],
    group: 'group by linked.store_id',
  })
  const ofMerchant = db.prepare<MerchantStore>(
    'select id, name, timezone from stores where merchant = ? order by id',
    'bigint',
  )
  const find = db.prepare('select 1 from stores where id = ?')
  const activate = db.prepare<{ activated_at: number }>(
    `insert into activations (store_id, app_id, activated_at) values (?, ?, ?)
     on conflict (store_id, app_id) do update set activated_at = activated_at returning activated_at`,
  )

  const listOf = ({ authorization_id, app_id }: AccessClaim) =>
    authorization_id === null
      ? { list: byApp, scope: [app_id] }
      : { list: byAuthorization, scope: [authorization_id] }

  return {
    access: (claim, store_id) => db.snapshot(() => access.facts(claim, store_id)),
    page: ({ claim, offset, behind, limit, count }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, null)
        const { list, scope } = listOf(claim)
        if (!tokenWorks(facts)) return { facts, chunk: null, end: null }
        return { facts, ...list.page(scope, { from: minInt64, offset, behind, limit, count }) }
      }),
    more: ({ claim, after, limit }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, null)
        if (!tokenWorks(facts)) return { ...emptyChunk(), facts }
        const { list, scope } = listOf(claim)
        return { ...list.more(scope, { after, limit }), facts }
      }),
    ofMerchant: email => db.query(() => ofMerchant.all(email)),
    exists: id => db.query(() => find.get(id) !== undefined),
    activate: (store_id, app_id, now) =>
      db.write(() => (activate.get(store_id, app_id, now) as { activated_at: number }).activated_at),
  }
}
