import {
  advance,
  nextIds,
  type PageSnapshot,
  readSnapshot,
  snapshotCursor,
  withoutRange,
} from '../../shared/page-snapshot.ts'
import type { ReadClaim, Chunk, Cursor, FirstChunk, NextChunk } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { partsOf } from '../../shared/parts.ts'
import { claimValues, readFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import { byIdsSql, type ListShape, pageSql, type StatementOptions } from './list-sql.ts'
import type { Value } from '../connection/values.ts'

/** The port's `FirstRead` for one list. */
export interface ListPage {
  claim: ReadClaim
  store_id: bigint
  /** The sort key to begin at, and the last time that belongs to the list. */
  from: Cursor
  to: Value
  offset: number
  behind?: Cursor | undefined
  limit: number
  count?: number | undefined
  unless_version?: number | null | undefined
  /** Fixes a page of `count` entries to the ids that it has now. */
  snapshot?: boolean
}

/** The port's `NextRead` for one list. */
export interface ListRest {
  claim: ReadClaim
  store_id: bigint
  after: Cursor
  to: Value
  limit: number
}

export interface List {
  page(page: ListPage): Promise<FirstChunk>
  more(rest: ListRest): Promise<NextChunk>
}

export function createList(db: Database, shape: ListShape): List {
  const statementFor = pageStatements(shape)
  const behind = pageSql(shape, { operator: '>', skips: false })
  const byIds = byIdsSql(shape)

  return {
    async page(page) {
      const { claim, unless_version = null } = page
      const row = await db.rawRow(statementFor(page), [...claimValues(claim), ...pageValues(page)])
      const { facts, readable, rest } = readFacts(row)
      const [list_version, ...found] = rest
      const version = readable ? Number(list_version) : 0
      if (!readable || version === unless_version) return { facts, version, chunk: null, end: null }
      return { facts, version, ...firstChunk(found, page, facts.store?.[shape.version] ?? 0, shape) }
    },
    async more({ claim, store_id, after, to, limit }) {
      const snapshot = readSnapshot(after)
      const rows = Math.min(limit, snapshot?.left ?? limit)
      const values = [...claimValues(claim), store_id]
      const key = snapshot ? snapshot.key : after
      const read = readFacts(await db.rawRow(behind, [...values, null, 0, rows, to, ...key]))
      const { facts, readable } = read
      const [, ...rest] = read.rest
      if (!readable) return { ...emptyChunk(), facts }
      if (snapshot === null) return { ...chunkOf(rest, rows, shape), facts }
      if (facts.store?.[shape.version] === snapshot.version)
        return { ...rangeChunk(rest, snapshot, rows, shape), facts }
      const again = readFacts(await db.rawRow(byIds, [...values, nextIds(snapshot, rows)]))
      const chunk = again.readable ? byIdsChunk(again.rest, snapshot, rows) : emptyChunk()
      return { ...chunk, facts: again.facts }
    },
  }
}

/** The entries of the page behind its first chunk whose ids are to be kept. */
const idsToKeep = ({ limit, count = 0, snapshot = false }: ListPage): number =>
  snapshot ? Math.max(0, count - limit) : 0

/** The values of `pageSql` from the store on. */
export function pageValues(page: ListPage): Value[] {
  const { store_id, unless_version = null, offset, limit, to, from, behind = from } = page
  const ids = idsToKeep(page)
  return [store_id, unless_version, offset, limit, to, ...behind, ...(ids > 0 ? [ids] : [])]
}

/** The statement for a page, with only the parts that it needs; each is made once. */
export function pageStatements(shape: ListShape, common: StatementOptions = {}) {
  const made = new Map<number, string>()
  return (page: ListPage): string => {
    const isBehind = page.behind !== undefined
    const options = { skips: page.offset > 0, rest: idsToKeep(page) > 0 }
    const name = [isBehind, ...Object.values(options)].reduce((sum, flag) => sum * 2 + Number(flag), 0)
    const operator = isBehind ? '>' : '>='
    const sql = made.get(name) ?? pageSql(shape, { ...common, ...options, operator })
    made.set(name, sql)
    return sql
  }
}

export function chunkOf([rows, bytes, ...last]: RawRow, limit: number, { order }: ListShape): Chunk {
  const count = Number(rows)
  const next = count < limit ? null : order.map((_, i) => String(last[i]))
  return { parts: partsOf(bytes), rows: count, next }
}

/** The first chunk of a page, whose cursor carries the page snapshot when there is one, and the end of a full page. */
export function firstChunk(
  row: RawRow,
  page: ListPage,
  version: number,
  shape: ListShape,
): { chunk: Chunk; end: Cursor | null } {
  const { limit, count = Number.POSITIVE_INFINITY } = page
  const chunk = chunkOf(row, limit, shape)
  if (chunk.next === null || chunk.rows >= count) {
    return { chunk: { ...chunk, next: null }, end: chunk.rows >= count ? chunk.next : null }
  }
  if (idsToKeep(page) === 0) return { chunk, end: null }
  const [ids, ...last] = row.slice(2 + shape.order.length)
  if (!ids) return { chunk: { ...chunk, next: null }, end: null }
  const left = (JSON.parse(String(ids)) as string[]).length
  const next = snapshotCursor({ version, key: chunk.next, ids: String(ids), done: 0, left })
  return { chunk: { ...chunk, next }, end: chunk.rows + left >= count ? last.map(String) : null }
}

/** The next entries of a page snapshot while the list is unchanged: a range of the list. */
export function rangeChunk(row: RawRow, snapshot: PageSnapshot, rows: number, shape: ListShape): Chunk {
  const chunk = chunkOf(row, rows, shape)
  return { ...chunk, next: chunk.next && advance(snapshot, chunk.rows, chunk.next) }
}

/** The next entries of a page snapshot after the list has changed: found by their ids. */
export function byIdsChunk([rows, bytes]: RawRow, snapshot: PageSnapshot, ids: number): Chunk {
  const next = advance(withoutRange(snapshot), ids)
  return { parts: partsOf(bytes), rows: Number(rows), next }
}
