import type { Changes } from '../../port/index.ts'
import { firstAfter } from '../../shared/list.ts'
import { type Access, tokenWorks } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'

export function createHeads(db: Database, access: Access): Pick<Changes, 'heads'> {
  // Grouped: two consents, or a consent and the operator's link, may name the same store.
  const prepare = (column: 'authorization_id' | 'app_id', index: string) =>
    db.prepare<{ id: bigint; seq: number }>(
      `select stores.id, stores.seq
       from authorization_stores as linked indexed by ${index} join stores on stores.id = linked.store_id
       where linked.${column} = ?1 and linked.store_id >= ?2
         and (instr(linked.scope || ' ', ?5) > 0 or instr(linked.scope || ' ', ?6) > 0)
       group by linked.store_id order by linked.store_id limit ?3 + 0 offset ?4 + 0`,
      'bigint',
    )
  const byAuthorization = prepare('authorization_id', 'authorization_stores_by_authorization')
  const byApp = prepare('app_id', 'authorization_stores_by_app')

  return {
    heads: ({ claim, scopes, offset, after, limit }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, null)
        if (!tokenWorks(facts)) return { facts, heads: null }
        const from = firstAfter(after)
        // At most two: a space behind each, because one scope may be the beginning of another.
        const [first = null, second = null] = scopes.map(scope => `${scope} `)
        const rows =
          claim.authorization_id === null
            ? byApp.all(claim.app_id, from, limit, offset, first, second)
            : byAuthorization.all(claim.authorization_id, from, limit, offset, first, second)
        return { facts, heads: rows.map(({ id, seq }) => ({ store_id: id, seq })) }
      }),
  }
}
