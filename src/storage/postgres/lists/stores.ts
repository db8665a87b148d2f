import { minInt64 } from '../../../lib/int64.ts'
import type { AccessClaim, Chunk, Cursor, FirstChunk, MerchantStore, Stores } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { partsOf } from '../../shared/parts.ts'
import { claimValues, readFacts, storeFacts, tokenFacts } from '../apps/access.ts'
import { hasScopeSql } from '../apps/scope-sql.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'

/**
 * $1 the authorization or the app, $2 the first or last id, $3 limit, $4 offset. Distinct: two consents, or a consent and
 * the operator's link, may name the same store. string_agg has its own order because on Citus the entries come from
 * many workers. Spec 5.1: integration.store lists stores.
 */
const linkedSql = (column: 'authorization_id' | 'app_id', operator: '>=' | '>') =>
  `select count(*), string_agg(doc, ',' order by store_id), max(store_id) from (
     select distinct on (linked.store_id) linked.store_id, stores.doc
     from authorization_stores as linked join stores on stores.id = linked.store_id
     where linked.${column} = $1 and linked.store_id ${operator} $2
       and ${hasScopeSql("'{integration.store}'")}
     order by linked.store_id limit $3 offset $4
   ) as entries`

const listOf = ({ authorization_id, app_id }: AccessClaim, operator: '>=' | '>') =>
  authorization_id === null
    ? { sql: linkedSql('app_id', operator), owner: app_id }
    : { sql: linkedSql('authorization_id', operator), owner: authorization_id }

export function createStores(db: Database): Stores {
  async function read(
    claim: AccessClaim,
    [operator, bound]: ['>=' | '>', Cursor],
    limit: number,
    offset: number,
  ): Promise<Omit<FirstChunk, 'version' | 'end'>> {
    const { sql, owner } = listOf(claim, operator)
    // Two statements: Citus keeps the stores on many workers, which a statement with the facts cannot read.
    const [factsRow, page] = (await db.snapshot(
      [tokenFacts, claimValues(claim)],
      [sql, [owner, ...bound, limit, offset]],
    )) as [RawRow, RawRow]
    const { facts, readable } = readFacts(factsRow)
    return { facts, chunk: readable ? chunkOf(page, limit) : null }
  }

  return {
    async access(claim, store_id) {
      const values = claimValues(claim)
      // Citus would send storeFacts with a null store to every shard.
      const row = await (store_id === null
        ? db.rawRow(tokenFacts, values)
        : db.rawRow(storeFacts, [...values, store_id]))
      return readFacts(row).facts
    },
    async page({ claim, offset, behind, limit, count = Number.POSITIVE_INFINITY }) {
      const { facts, chunk } = await read(claim, behind ? ['>', behind] : ['>=', [minInt64]], limit, offset)
      const isFull = chunk !== null && chunk.rows >= count
      return {
        facts,
        chunk: chunk && isFull ? { ...chunk, next: null } : chunk,
        end: isFull ? chunk.next : null,
      }
    },
    async more({ claim, after, limit }) {
      const { facts, chunk } = await read(claim, ['>', after], limit, 0)
      return { ...(chunk ?? emptyChunk()), facts }
    },
    async ofMerchant(email) {
      const rows = await db.query<MerchantStore>(
        'select id, name, timezone from stores where merchant = $1 order by id',
        [email],
      )
      return [...rows]
    },
    async exists(id) {
      return (await db.query('select 1 from stores where id = $1', [id])).length === 1
    },
    async activate(store_id, app_id, now) {
      const [row] = await db.query<{ activated_at: number }>(
        `insert into activations (store_id, app_id, activated_at) values ($1, $2, $3)
         on conflict (store_id, app_id) do update set activated_at = activations.activated_at
         returning activated_at`,
        [store_id, app_id, now],
      )
      return (row as { activated_at: number }).activated_at
    },
  }
}

function chunkOf([rows, bytes, last]: RawRow, limit: number): Chunk {
  const count = Number(rows)
  return { parts: partsOf(bytes), rows: count, next: count < limit ? null : [String(last)] }
}
