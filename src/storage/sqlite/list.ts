import type { SQLInputValue } from 'node:sqlite'
import type { Chunk, Cursor } from '../port.ts'
import type { Database } from './database.ts'

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

/** `scope` holds the values for the conditions, `from` a sort key. To be called within a read. */
export interface List {
  /** The page that begins `offset` entries after the first at or behind `from`. */
  page(scope: SQLInputValue[], from: Cursor, offset: number, limit: number): Chunk
  /** The entries behind `after`. */
  more(scope: SQLInputValue[], after: Cursor, limit: number): Chunk
}

export function createList(db: Database, shape: ListShape): List {
  const at = createRange(db, shape, '>=')
  const behind = createRange(db, shape, '>')
  return {
    page(scope, from, offset, limit) {
      const start = offset === 0 ? from : at.key(scope, from, offset)
      return start ? at.chunk(scope, start, limit) : { bytes: new Uint8Array(), rows: 0, next: null }
    },
    more: (scope, after, limit) => behind.chunk(scope, after, limit),
  }
}

function createRange(
  db: Database,
  { docs, keys = docs, order, group = '' }: ListShape,
  operator: '>=' | '>',
) {
  const key = order.join(', ')
  const range = `and (${key}) ${operator} (${order.map(() => '?').join(', ')}) ${group} order by ${key}`
  // The joined documents leave SQLite as one value. group_concat takes them as the subquery yields them, in order: an
  // ORDER BY of its own would sort them once more, ten times slower for 2000 orders. The suite holds it to the order.
  const joined = db.prepare<{ rows: number; bytes: Uint8Array | null }>(
    `select count(*) as rows, cast(group_concat(doc, ',') as blob) as bytes
     from (select doc from ${docs} ${range} limit ?)`,
  )
  const nth = db.prepare<Record<string, bigint | string>>(
    `select ${key} from ${keys} ${range} limit 1 offset ?`,
    'bigint',
  )

  /** The sort key of the entry that stands `offset` entries into the range. */
  const keyAt = (scope: SQLInputValue[], bound: Cursor, offset: number): Cursor | null => {
    const row = nth.get(...scope, ...bound, offset)
    return row ? Object.values(row) : null
  }

  return {
    key: keyAt,
    chunk(scope: SQLInputValue[], bound: Cursor, limit: number): Chunk {
      const { rows, bytes } = joined.get(...scope, ...bound, limit) as {
        rows: number
        bytes: Uint8Array | null
      }
      const next = rows < limit ? null : keyAt(scope, bound, rows - 1)
      return { bytes: bytes ?? new Uint8Array(), rows, next }
    },
  }
}
