import type { AccessFacts, ReadClaim, StoreFacts } from '../../port/index.ts'
import { everyScope } from '../../shared/scopes.ts'
import type { Database } from '../connection/database.ts'
import { isRevoked } from './revoked-tokens.ts'

type Row = [
  app_scope: string | null,
  token_revoked: number,
  authorization_live: number,
  store_scope: string | null,
  doc: string | null,
  orders_version: number,
  items_version: number,
  seq: number,
  newest_of_days: number | null,
]

export interface Access {
  /** For a call within `db.read`, so that the next query sees the same snapshot. */
  facts(claim: ReadClaim, store_id: bigint | null): AccessFacts
  /**
   * The facts of a store, its version and the result of `read` on the same snapshot, unless access is denied or the
   * version known.
   */
  read<T>(
    asked: Asked,
    read: (facts: AccessFacts) => T,
  ): Promise<{ facts: AccessFacts; version: number; found: T | null }>
}

export interface Asked {
  claim: ReadClaim
  store_id: bigint
  /** The version of what is asked for. */
  version: (store: StoreFacts, newest_of_days: number) => number
  /** The first and the last UTC day whose newest change of an order `version` needs. */
  days?: readonly [first: number, last: number]
  known: number | null
}

export function createAccess(db: Database): Access {
  // ?1 is null for a person, whose account is ?2. One statement: outside a transaction each locks the database again.
  const select = db.prepare<Row>(
    `select
       case when ?1 is null
         then (select '${everyScope}' from accounts where id = ?2 and disabled_at is null)
         else (select scope from apps where id = ?1 and disabled_at is null) end as app_scope,
       ${isRevoked('?3', '?5', '?6')} as token_revoked,
       ?1 is null or ?2 is null or exists (
         select 1 from authorizations where id = ?2 and app_id = ?1 and revoked_at is null) as authorization_live,
       case when ?1 is null
         then (
           select '${everyScope}' from accounts where id = ?2
           and (role = 'operator' or (role = 'merchant' and email = stores.merchant)))
         else (
           select group_concat(scope, ' ') from authorization_stores
           where store_id = ?4 and app_id = ?1 and (?2 is null or authorization_id = ?2)) end as store_scope,
       stores.doc, stores.orders_version, stores.items_version, stores.seq,
       (select max(seq) from receipts where store_id = ?4 and kind = 'order' and day between ?7 and ?8) as newest_of_days
     from (select 1) left join stores on stores.id = ?4`,
    'number',
    'tuples',
  )

  function find(claim: ReadClaim, store_id: bigint | null, days: Asked['days']) {
    const row = select.get(...valuesOf(claim, store_id), days?.[0] ?? null, days?.[1] ?? null) as Row
    const [app_scope, token_revoked, authorization_live, store_scope, doc] = row
    const [, , , , , orders_version, items_version, seq, newest_of_days] = row
    const facts: AccessFacts = {
      app_live: app_scope !== null,
      app_scope: app_scope ?? '',
      token_revoked: token_revoked === 1,
      authorization_live: authorization_live === 1,
      store: doc === null ? null : { doc, orders_version, items_version, seq },
      store_allowed: store_scope !== null,
      store_scope: store_scope ?? '',
    }
    return { facts, newest_of_days: newest_of_days ?? 0 }
  }

  return {
    facts: (claim, store_id) => find(claim, store_id, undefined).facts,
    async read({ claim, store_id, version, days, known }, read) {
      const examine = () => {
        const { facts, newest_of_days } = find(claim, store_id, days)
        const found = mayReadStore(facts) && facts.store ? version(facts.store, newest_of_days) : 0
        return { facts, version: found, isWanted: mayReadStore(facts) && found !== known }
      }
      // Most conditional polls find nothing new, and need no snapshot.
      const before = known === null ? null : await db.look(examine)
      if (before !== null && !before.isWanted) return { ...before, found: null }
      return db.read(() => {
        const now = examine()
        return { ...now, found: now.isWanted ? read(now.facts) : null }
      })
    },
  }
}

function valuesOf(claim: ReadClaim, store_id: bigint | null) {
  if ('account_id' in claim) return [null, claim.account_id, null, store_id, null, 0]
  const { app_id, authorization_id, jti, family } = claim
  return [app_id, authorization_id, jti, store_id, family?.id ?? null, family?.generation ?? 0]
}

export const tokenWorks = (facts: AccessFacts): boolean =>
  facts.app_live && !facts.token_revoked && facts.authorization_live

export const mayReadStore = (facts: AccessFacts): boolean =>
  tokenWorks(facts) && facts.store !== null && facts.store_allowed
