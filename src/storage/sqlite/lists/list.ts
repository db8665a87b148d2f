import type { SQLInputValue } from 'node:sqlite'
import { maxInt64 } from '../../../lib/int64.ts'
import type { Chunk, Cursor } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { partsOf } from '../../shared/parts.ts'
import type { Database } from '../connection/database.ts'

/** A list that is read in pages, described in SQL. */
export interface ListShape {
  /** FROM and WHERE for the documents of one list. SQLite must read them in the order of the sort key. */
  docs: string
  /** The same entries by an index without the documents, which finds an offset faster; by default `docs`. */
  keys?: string
  /** The columns of the sort key, which make the order total. */
  order: readonly string[]
  /** GROUP BY, when there is one. */
  group?: string
}

interface Limits {
  /** Entries to read. */
  limit: number
  /** Entries of the page. */
  count?: number | undefined
}

/** The highest value that a sort key may begin with; by default any id. */
interface End {
  to?: Cursor[number]
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
  page(scope: SQLInputValue[], page: Limits & Start & End): { chunk: Chunk; end: Cursor | null }
  /** The entries behind the sort key `after`. */
  more(scope: SQLInputValue[], page: Limits & End & { after: Cursor }): Chunk
}

export function createList(db: Database, shape: ListShape): List {
  // Most pages begin at a time or an id alone; SQLite searches for that faster than for a whole sort key.
  const fromFirst = createRange(db, shape, [shape.order[0] as string], '>=')
  const fromKey = createRange(db, shape, shape.order, '>=')
  const behindKey = createRange(db, shape, shape.order, '>')
  return {
    page(scope, { from, to = maxInt64, offset, behind, ...rest }) {
      const limits = { ...rest, to }
      if (behind) return pageFrom(behindKey, scope, behind, limits)
      if (offset === 0) return pageFrom(fromFirst, scope, [from], limits)
      // Two steps: the key at the offset from the index alone, then the documents from that key on.
      const start = fromFirst.keyAt(scope, to, [from], offset)
      return start ? pageFrom(fromKey, scope, start, limits) : { chunk: emptyChunk(), end: null }
    },
    more(scope, { after, to = maxInt64, ...limits }) {
      const { last: _, ...chunk } = behindKey.chunk(scope, after, { ...limits, to })
      return chunk
    },
  }
}

type Range = ReturnType<typeof createRange>

function pageFrom(range: Range, scope: SQLInputValue[], from: Cursor, limits: Limits & Required<End>) {
  const { limit, count, to } = limits
  const { last, ...chunk } = range.chunk(scope, from, limits)
  if (count === undefined || last === null) return { chunk, end: null }
  return { chunk, end: limit < count ? range.keyAt(scope, to, from, count - 1) : last }
}

function createRange(
  db: Database,
  { docs, keys = docs, order, group }: ListShape,
  lowest: readonly string[],
  operator: '>=' | '>',
) {
  const key = order.join(', ')
  const first = order.slice(0, 1)
  /** The conditions from `lowest` up to `highest`, whose values come first. */
  const range = (highest: readonly string[]) =>
    `and ${compare(highest, '<=')} and ${compare(lowest, operator)}`
  // The offset is a sum because SQLite plans a statement again at each run when it is a bare parameter.
  const nth = db.prepare<(bigint | string)[]>(
    `select ${key} from ${keys} ${range(first)} ${group ?? ''} order by ${key} limit 1 offset ? + 0`,
    'bigint',
    'tuples',
  )
  // Up to a key instead of a LIMIT, which would need a subquery: SQLite copies each document once more out of that, and
  // a piece takes 14 % longer. So the order is that of the index alone; a test checks it. group_concat's own ORDER BY
  // sorts again, ten times slower for 2000 orders.
  const joined = (highest: readonly string[]) => {
    const entries = `${docs} ${range(highest)}`
    return db.prepare<[rows: number, bytes: Uint8Array | null]>(
      `select count(*), cast(group_concat(doc, ',') as blob)
       from ${group ? `(select doc from ${entries} ${group} order by ${key})` : entries}`,
      'number',
      'tuples',
    )
  }
  const toEnd = joined(first)
  const toKey = joined(order)

  /** The sort key of the entry `offset` entries into the range. */
  const keyAt = (scope: SQLInputValue[], to: Cursor[number], from: Cursor, offset: number): Cursor | null =>
    nth.get(...scope, to, ...from, offset) ?? null

  return {
    keyAt,
    /** The entries, and the sort key of the last one when there are as many as asked for. */
    chunk(scope: SQLInputValue[], from: Cursor, { limit, count = Infinity, to }: Limits & Required<End>) {
      const wanted = Math.min(limit, count)
      const last = keyAt(scope, to, from, wanted - 1)
      const read = last ? toKey.get(...scope, ...last, ...from) : toEnd.get(...scope, to, ...from)
      const [rows, bytes] = read as [number, Uint8Array | null]
      return { parts: partsOf(bytes), rows, next: wanted < count ? last : null, last }
    },
  }
}

function compare(columns: readonly string[], operator: string): string {
  const marks = columns.map(() => '?')
  return columns.length === 1
    ? `${columns[0]} ${operator} ?`
    : `(${columns.join(', ')}) ${operator} (${marks.join(', ')})`
}
