import type { AccessClaim, AccessFacts } from '../port.ts'
import type { Database } from './database.ts'

interface Row {
  app_live: number
  token_revoked: number
  authorization_live: number
  store_allowed: number
  doc: string | null
  orders_version: number
  items_version: number
}

export interface Access {
  /** To be called within a read, so that what is read next is of the same moment. */
  facts(claim: AccessClaim, store_id: bigint | null): AccessFacts
}

export function createAccess(db: Database): Access {
  const select = db.prepare<Row>(
    `select
       exists (select 1 from apps where id = ?1 and disabled_at is null) as app_live,
       exists (select 1 from revoked_tokens where jti = ?3) as token_revoked,
       ?2 is null or exists (
         select 1 from authorizations where id = ?2 and app_id = ?1 and revoked_at is null) as authorization_live,
       exists (
         select 1 from authorization_stores
         where store_id = ?4 and app_id = ?1 and (?2 is null or authorization_id = ?2)) as store_allowed,
       stores.doc, stores.orders_version, stores.items_version
     from (select 1) left join stores on stores.id = ?4`,
  )

  return {
    facts({ app_id, authorization_id, jti }, store_id) {
      const row = select.get(app_id, authorization_id, jti, store_id) as Row
      const { doc, orders_version, items_version } = row
      return {
        app_live: row.app_live === 1,
        token_revoked: row.token_revoked === 1,
        authorization_live: row.authorization_live === 1,
        store: doc === null ? null : { doc, orders_version, items_version },
        store_allowed: row.store_allowed === 1,
      }
    },
  }
}

export const tokenWorks = (facts: AccessFacts): boolean =>
  facts.app_live && !facts.token_revoked && facts.authorization_live

export const mayReadStore = (facts: AccessFacts): boolean =>
  tokenWorks(facts) && facts.store !== null && facts.store_allowed
