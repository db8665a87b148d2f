import type { SQLInputValue } from 'node:sqlite'
import type { Chunk, Cursor } from '../../port/index.ts'
import { partsOf } from '../../shared/parts.ts'
import type { Database } from '../connection/database.ts'

/** A list that is read in pages, described in SQL. */
export interface ListShape {
  /** FROM and WHERE for the documents, with the conditions that select one list. */
  docs: string
  /** The same entries by an index without the documents, which finds an offset faster; by default `docs`. */
  keys?: string
  /** The columns of the sort key, which make the order total. */
  order: readonly string[]
  /** GROUP BY, when there is one. */
  group?: string
}

/** The first sort key of a list by an id of int64. */
export const lowestId = -(2n ** 63n)
export const highestId = 2n ** 63n - 1n
/** The first id of a page; null begins at the lowest. */
export const firstAfter = (id: bigint | null): bigint => (id === null ? lowestId : id + 1n)

export const emptyChunk = (): Chunk => ({ parts: [], rows: 0, next: null })

interface Limits {
  /** Entries to read. */
  limit: number
  /** Entries of the page. */
  count?: number | undefined
}

/** Where a page begins: `offset` entries after the first one whose sort key begins with `from` or more, or behind a key. */
interface Start {
  from: Cursor[number]
  offset: number
  behind?: Cursor | undefined
}

/** `scope` holds the values for the conditions. Both methods run inside a read. */
export interface List {
  /** The first entries of a page, and the sort key of its last one when the list has so many. */
  page(scope: SQLInputValue[], page: Limits & Start): { chunk: Chunk; end: Cursor | null }
  /** The entries behind the sort key `after`. */
  more(scope: SQLInputValue[], page: Limits & { after: Cursor }): Chunk
}

export function createList(db: Database, shape: ListShape): List {
  // Most pages begin at a time or an id alone; SQLite searches for that faster than for a whole sort key.
  const fromFirst = createRange(db, shape, [shape.order[0] as string], '>=')
  const fromKey = createRange(db, shape, shape.order, '>=')
  const behindKey = createRange(db, shape, shape.order, '>')
  return {
    page(scope, { from, offset, behind, ...limits }) {
      if (behind) return pageFrom(behindKey, scope, behind, limits)
      if (offset === 0) return pageFrom(fromFirst, scope, [from], limits)
      // Two steps: the key at the offset from the index alone, then the documents from that key on.
      const start = fromFirst.keyAt(scope, [from], offset)
      return start ? pageFrom(fromKey, scope, start, limits) : { chunk: emptyChunk(), end: null }
    },
    more: (scope, { after, ...limits }) => behindKey.chunk(scope, after, limits),
  }
}

type Range = ReturnType<typeof createRange>

function pageFrom(range: Range, scope: SQLInputValue[], from: Cursor, limits: Limits) {
  const { count } = limits
  const chunk = range.chunk(scope, from, limits)
  const mayBeFull = count !== undefined && (chunk.rows === count || chunk.next !== null)
  return { chunk, end: mayBeFull ? range.keyAt(scope, from, count - 1) : null }
}

function createRange(
  db: Database,
  { docs, keys = docs, order, group = '' }: ListShape,
  bound: readonly string[],
  operator: '>=' | '>',
) {
  const key = order.join(', ')
  const lowest = bound.length === 1 ? '?' : `(${bound.map(() => '?').join(', ')})`
  const range = `and ${bound.length === 1 ? bound[0] : `(${key})`} ${operator} ${lowest} ${group} order by ${key}`
  // group_concat joins the documents in the subquery's order; an ORDER BY of its own sorts again, ten times slower for
  // 2000 orders. A test checks the order. The limit is a sum because SQLite re-plans, at each run, a statement whose
  // LIMIT is a bare parameter.
  const joined = db.prepare<[rows: number, bytes: Uint8Array | null]>(
    `select count(*), cast(group_concat(doc, ',') as blob)
     from (select doc from ${docs} ${range} limit ? + 0)`,
    'number',
    'tuples',
  )
  const nth = db.prepare<(bigint | string)[]>(
    `select ${key} from ${keys} ${range} limit 1 offset ? + 0`,
    'bigint',
    'tuples',
  )

  /** The sort key of the entry `offset` entries into the range. */
  const keyAt = (scope: SQLInputValue[], from: Cursor, offset: number): Cursor | null =>
    nth.get(...scope, ...from, offset) ?? null

  return {
    keyAt,
    chunk(scope: SQLInputValue[], from: Cursor, { limit, count = Number.POSITIVE_INFINITY }: Limits): Chunk {
      const wanted = Math.min(limit, count)
      const [rows, bytes] = joined.get(...scope, ...from, wanted) as [number, Uint8Array | null]
      const next = rows < wanted || rows >= count ? null : keyAt(scope, from, rows - 1)
      return { parts: partsOf(bytes), rows, next }
    },
  }
}
