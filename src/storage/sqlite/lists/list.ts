import type { SQLInputValue } from 'node:sqlite'
import type { Chunk, Cursor } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

/** A list that is read in pages, described in SQL. */
export interface ListShape {
  /** The documents: what follows FROM, up to and with the conditions that single out one list. */
  docs: string
  /** The same entries by an index that does not hold the documents, for skipping, when `docs` does not name one. */
  keys?: string
  /** The sort key: its columns make the order total. */
  order: readonly string[]
  /** Between the conditions and ORDER BY. */
  group?: string
}

/** Where a list by an id of int64 begins. */
export const lowestId = -(2n ** 63n)

export const emptyChunk = (): Chunk => ({ bytes: new Uint8Array(), rows: 0, next: null })

/** `scope` holds the values for the conditions. To be called within a read. */
export interface List {
  /**
   * The page that begins `offset` entries after the first whose sort key begins with `from` or more. Of its `total`
   * entries `limit` are read.
   */
  page(scope: SQLInputValue[], from: Cursor[number], offset: number, limit: number, total?: number): Chunk
  /** The same, from the entry of a sort key on. */
  pageAt(scope: SQLInputValue[], key: Cursor, limit: number, total?: number): Chunk
  /** The entries behind the sort key `after`. */
  more(scope: SQLInputValue[], after: Cursor, limit: number, total?: number): Chunk
  /** The sort key of the entry that stands `steps` behind the first one at `from`, or behind the entry `key`. */
  keyFrom(scope: SQLInputValue[], from: Cursor[number], steps: number): Cursor | null
  keyBehind(scope: SQLInputValue[], key: Cursor, steps: number): Cursor | null
}

export function createList(db: Database, shape: ListShape): List {
  // A page mostly begins at a time or an id alone, which is found and followed faster than a whole sort key.
  const first = createRange(db, shape, [shape.order[0] as string], '>=')
  const at = createRange(db, shape, shape.order, '>=')
  const behind = createRange(db, shape, shape.order, '>')
  return {
    page(scope, from, offset, limit, total) {
      if (offset === 0) return first.chunk(scope, [from], limit, total)
      const start = first.key(scope, [from], offset)
      return start ? at.chunk(scope, start, limit, total) : emptyChunk()
    },
    pageAt: at.chunk,
    more: behind.chunk,
    keyFrom: (scope, from, steps) => first.key(scope, [from], steps),
    keyBehind: at.key,
  }
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
  // The joined documents leave SQLite as one value. group_concat takes them as the subquery yields them, in order: an
  // ORDER BY of its own would sort them once more, ten times slower for 2000 orders. The suite holds it to the order.
  // The limit is a sum because SQLite plans anew, at each run, a statement whose LIMIT is a bare parameter.
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

  /** The sort key of the entry that stands `offset` entries into the range. */
  const keyAt = (scope: SQLInputValue[], from: Cursor, offset: number): Cursor | null =>
    nth.get(...scope, ...from, offset) ?? null

  return {
    key: keyAt,
    chunk(scope: SQLInputValue[], from: Cursor, limit: number, total = Number.POSITIVE_INFINITY): Chunk {
      const wanted = Math.min(limit, total)
      const [rows, bytes] = joined.get(...scope, ...from, wanted) as [number, Uint8Array | null]
      const next = rows < wanted || rows >= total ? null : keyAt(scope, from, rows - 1)
      return { bytes: bytes ?? new Uint8Array(), rows, next }
    },
  }
}
