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
  /** Within `db.snapshot`, the next query sees the same snapshot. */
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

/** The columns that depend on who reads. ?1 is the store, ?2 and ?3 are days. */
interface ReaderColumns {
  app_scope: string
  token_revoked: string
  authorization_live: string
  store_scope: string
}

/** ?4 is the app, ?5 the authorization or null, ?6 the token's id, ?7 and ?8 are its family and generation. */
const ofToken: ReaderColumns = {
  app_scope: '(select scope from apps where id = ?4 and disabled_at is null)',
  token_revoked: isRevoked('?6', '?7', '?8'),
  authorization_live: `?5 is null or exists (
    select 1 from authorizations where id = ?5 and app_id = ?4 and revoked_at is null)`,
  store_scope: `(
    select group_concat(scope, ' ') from authorization_stores
    where store_id = ?1 and app_id = ?4 and (?5 is null or authorization_id = ?5))`,
}

/** ?4 is the account. */
const ofPerson: ReaderColumns = {
  app_scope: `(select '${everyScope}' from accounts where id = ?4 and disabled_at is null)`,
  token_revoked: '0',
  authorization_live: '1',
  store_scope: `(
    select '${everyScope}' from accounts where id = ?4
    and (role = 'operator' or (role = 'merchant' and email = stores.merchant)))`,
}

export function createAccess(db: Database): Access {
  // One statement: outside a transaction each locks the database again.
  const prepare = (reader: ReaderColumns) =>
    db.prepare<Row>(
      `select ${reader.app_scope}, ${reader.token_revoked}, ${reader.authorization_live}, ${reader.store_scope},
         stores.doc, stores.orders_version, stores.items_version, stores.seq,
         (select max(seq) from receipts where store_id = ?1 and kind = 'order' and day between ?2 and ?3)
       from (select 1) left join stores on stores.id = ?1`,
      'number',
      'tuples',
    )
  const selectOfToken = prepare(ofToken)
  const selectOfPerson = prepare(ofPerson)

  function rowOf(claim: ReadClaim, store_id: bigint | null, days: Asked['days']): Row {
    const [first, last] = days ?? [null, null]
    if ('account_id' in claim) return selectOfPerson.get(store_id, first, last, claim.account_id) as Row
    const { app_id, authorization_id, jti, family } = claim
    const token = [app_id, authorization_id, jti, family?.id ?? null, family?.generation ?? 0]
    return selectOfToken.get(store_id, first, last, ...token) as Row
  }

  function find(claim: ReadClaim, store_id: bigint | null, days?: Asked['days']) {
    const [
      app_scope,
      token_revoked,
      authorization_live,
      store_scope,
      doc,
      orders_version,
      items_version,
      seq,
      newest_of_days,
    ] = rowOf(claim, store_id, days)
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
    facts: (claim, store_id) => find(claim, store_id).facts,
    async read({ claim, store_id, version, days, known }, read) {
      const examine = () => {
        const { facts, newest_of_days } = find(claim, store_id, days)
        const found = mayReadStore(facts) && facts.store ? version(facts.store, newest_of_days) : 0
        return { facts, version: found, isWanted: mayReadStore(facts) && found !== known }
      }
      // Most conditional polls find nothing new, and need no snapshot.
      const before = known === null ? null : await db.query(examine)
      if (before !== null && !before.isWanted) return { ...before, found: null }
      return db.snapshot(() => {
        const now = examine()
        return { ...now, found: now.isWanted ? read(now.facts) : null }
      })
    },
  }
}

export const tokenWorks = (facts: AccessFacts): boolean =>
  facts.app_live && !facts.token_revoked && facts.authorization_live

export const mayReadStore = (facts: AccessFacts): boolean =>
  tokenWorks(facts) && facts.store !== null && facts.store_allowed
