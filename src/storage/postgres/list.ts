import type { AccessClaim, Chunk, Cursor, Read } from '../port.ts'
import { claimValues, type ListVersion, readFacts, storeFacts } from './access.ts'
import type { RawRow } from './connection.ts'
import type { Database } from './database.ts'
import type { Value } from './values.ts'

/** A list of one store's rows that is read in pages, described in SQL. */
export interface ListShape {
  table: 'orders' | 'items'
  /** The sort key: a time, when there is one, and the id, which makes the order total. */
  order: readonly ['id'] | readonly [time: string, 'id']
  /** The version that rises with every change of the list. */
  version: ListVersion
}

/** Where a list by an id of int64 begins, and where one by time ends when it has no end. */
export const lowestId = -(2n ** 63n)
export const endOfTime = 2n ** 63n - 1n

/** `from` is a sort key; `to` the last time that belongs to the list. */
export interface List {
  /** The facts, and the page that begins `offset` entries after the first at or behind `from`. */
  page(
    claim: AccessClaim,
    store_id: bigint,
    range: { from: Cursor; to: Value },
    { offset, limit, unless_version }: { offset: number; limit: number; unless_version: number | null },
  ): Promise<Read>
  /** The entries behind `after`. */
  more(store_id: bigint, range: { after: Cursor; to: Value }, limit: number): Promise<Chunk>
}

export function createList(db: Database, shape: ListShape): List {
  const page = pageSql(shape)
  const more = moreSql(shape)
  return {
    async page(claim, store_id, { from, to }, { offset, limit, unless_version }) {
      const values = [...claimValues(claim), store_id, unless_version, offset, limit, to, ...from]
      const { facts, readable, rest } = readFacts(await db.rawRow(page, values))
      const known = facts.store?.[shape.version] === unless_version
      return { facts, chunk: readable && !known ? chunkOf(rest, limit, shape) : null }
    },
    async more(store_id, { after, to }, limit) {
      return chunkOf(await db.rawRow(more, [store_id, limit, to, ...after]), limit, shape)
    },
  }
}

/**
 * From $4 on: store, known version, offset, limit, last time, first key. The offset is skipped on the index alone; the
 * documents are read from the entry found there.
 */
export function pageSql(shape: ListShape, { facts = storeFacts, first = 4 } = {}): string {
  const at = (place: number) => `$${first + place}`
  const key = shape.order.join(', ')
  const range = (bound: string) => rangeSql(shape, at(0), at(4), `(${key}) >= (${bound})`)
  const given = shape.order.map((_, i) => at(5 + i)).join(', ')
  const found = shape.order.map(column => `start.${column}`).join(', ')
  return `with facts as materialized (${facts})
    select facts.*, page.* from facts left join lateral (
      ${joinedSql(shape)} from (
        select ${key} from ${shape.table}
        where facts.readable and facts.${shape.version} is distinct from ${at(1)} and ${range(given)}
        order by ${key} offset ${at(2)} limit 1
      ) as start cross join lateral (
        select ${key}, doc from ${shape.table} where ${range(found)} order by ${key} limit ${at(3)}
      ) as entries
    ) as page on true`
}

/** $1 store, $2 limit, $3 last time, $4… key of the entry before. */
export function moreSql(shape: ListShape): string {
  const key = shape.order.join(', ')
  const after = shape.order.map((_, i) => `$${4 + i}`).join(', ')
  return `${joinedSql(shape)} from (
    select ${key}, doc from ${shape.table}
    where ${rangeSql(shape, '$1', '$3', `(${key}) > (${after})`)} order by ${key} limit $2
  ) as entries`
}

/** A list by id alone has no last time; its parameter is there all the same, so that all lists are called alike. */
function rangeSql({ order }: ListShape, store: string, to: string, bound: string): string {
  const end = order.length === 2 ? `${order[0]} <= ${to}` : `${to}::bigint is not null`
  return `store_id = ${store} and ${end} and ${bound}`
}

/**
 * The joined documents leave the server as one value. string_agg takes them as the subquery yields them, in order: an
 * ORDER BY of its own would sort them once more before PostgreSQL 16. The suite holds it to the order.
 */
function joinedSql({ order }: ListShape): string {
  const last = order.map(column => `(array_agg(entries.${column}))[count(*)]`).join(', ')
  return `select count(*), string_agg(entries.doc, ','), ${last}`
}

export function chunkOf([rows, bytes, ...last]: RawRow, limit: number, { order }: ListShape): Chunk {
  const count = Number(rows)
  const next = count < limit ? null : order.map((_, i) => String(last[i]))
  return { bytes: bytes ?? new Uint8Array(), rows: count, next }
}
