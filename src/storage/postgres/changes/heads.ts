import type { Changes } from '../../port/index.ts'
import { firstAfter } from '../../shared/list.ts'
import { claimValues, readFacts, tokenFacts } from '../apps/access.ts'
import { hasScopeSql } from '../apps/scope-sql.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'

/** Distinct: two consents, or a consent and the operator's link, may name the same store. */
const headsSql = (column: 'authorization_id' | 'app_id') =>
  `select string_agg(store_id || ' ' || seq, ',' order by store_id) from (
     select distinct on (linked.store_id) linked.store_id, stores.seq
     from authorization_stores as linked join stores on stores.id = linked.store_id
     where linked.${column} = $1 and linked.store_id >= $2
       and ${hasScopeSql('$5')}
     order by linked.store_id limit $3 offset $4
   ) as entries`

const byAuthorization = headsSql('authorization_id')
const byApp = headsSql('app_id')

export function createHeads(db: Database): Pick<Changes, 'heads'> {
  return {
    async heads({ claim, scopes, offset, after, limit }) {
      const { authorization_id, app_id } = claim
      const [sql, owner] = authorization_id === null ? [byApp, app_id] : [byAuthorization, authorization_id]
      const from = firstAfter(after)
      // Two statements: Citus keeps the stores on many workers, which a statement with the facts cannot read.
      const [factsRow, [list]] = (await db.snapshot(
        [tokenFacts, claimValues(claim)],
        [sql, [owner, from, limit, offset, scopes]],
      )) as [RawRow, RawRow]
      const { facts, readable } = readFacts(factsRow)
      return { facts, heads: readable ? headsOf(list ? String(list) : '') : null }
    },
  }
}

const headsOf = (list: string) =>
  list === ''
    ? []
    : list.split(',').map(entry => {
        const [store_id, seq] = entry.split(' ') as [string, string]
        return { store_id: BigInt(store_id), seq: Number(seq) }
      })
