import { advance, named, nextIds, type Pin, pinned, readPin } from '../../shared/page-snapshot.ts'
import type { AccessClaim, Chunk, Cursor, Read } from '../../port/index.ts'
import { stride } from '../../shared/roads.ts'
import { claimValues, readFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import { type ListShape, moreSql, namedSql, type PageOptions, pageSql } from './list-sql.ts'
import { createSignposts } from './signposts.ts'
import type { Value } from '../connection/values.ts'

/** Where a list by an id of int64 begins, and where one by time ends when it has no end. */
export const lowestId = -(2n ** 63n)
export const endOfTime = 2n ** 63n - 1n

export interface PageRead {
  offset: number
  limit: number
  unless_version: number | null
  /** How many entries belong to the page, when it has an end; with `settled`, they are named when it begins. */
  total?: number | undefined
  settled?: boolean
}

/** `from` is a sort key; `to` the last time that belongs to the list. */
export interface List {
  /** The facts, and the page that begins `offset` entries after the first at or behind `from`. */
  page(
    claim: AccessClaim,
    store_id: bigint,
    range: { from: Cursor; to: Value },
    read: PageRead,
  ): Promise<Read>
  /** The entries behind `after`. */
  more(
    store_id: bigint,
    range: { after: Cursor; to: Value },
    limit: number,
    claim?: AccessClaim,
  ): Promise<Chunk>
}

export function createList(db: Database, shape: ListShape): List {
  const page = pageStatements(shape)
  const behind = pageSql(shape, { operator: '>', skips: false })
  const more = moreSql(shape)
  const named = namedSql(shape)
  const signposts = shape.table === 'orders' ? createSignposts(db, shape) : null

  /** By a shortcut, when one is known and leads there. */
  async function deepPage(
    claim: AccessClaim,
    store_id: bigint,
    { from, to }: { from: Cursor; to: Value },
    read: PageRead,
  ): Promise<Read | null> {
    const [time] = from as [number]
    const way = signposts?.find(store_id, time, read.offset)
    if (!way) return null
    const values = [
      ...claimValues(claim),
      store_id,
      read.unless_version,
      way.skip,
      read.limit,
      to,
      ...way.start,
    ]
    const sql = page(read, { shortcut: true })
    const answer = readOf(
      await db.rawRow(sql, [...values, ...way.post, time, stride, ...leftValues(read)]),
      read,
    )
    const { store } = answer.facts
    if (store && store[shape.version] !== way.version) {
      signposts?.forget(store_id, time)
      return null
    }
    return answer
  }

  function readOf(row: RawRow, read: PageRead): Read {
    const { facts, readable, rest } = readFacts(row)
    const version = facts.store?.[shape.version]
    if (!readable || version === undefined || version === read.unless_version) return { facts, chunk: null }
    return { facts, chunk: pageChunk(rest, read, version, shape) }
  }

  async function moreFor(
    claim: AccessClaim,
    store_id: bigint,
    { after, to }: { after: Cursor; to: Value },
    limit: number,
  ): Promise<Chunk> {
    const pin = readPin(after)
    const rows = Math.min(limit, pin?.left ?? limit)
    const values = [...claimValues(claim), store_id]
    const read = readFacts(
      await db.rawRow(behind, [...values, null, 0, rows, to, ...(pin ? pin.key : after)]),
    )
    const { facts, readable, rest } = read
    if (!readable) return { ...emptyChunk(), facts }
    if (pin === null) return { ...chunkOf(rest, rows, shape), facts }
    if (facts.store?.[shape.version] === pin.version) return { ...pinnedChunk(rest, pin, rows, shape), facts }
    const again = readFacts(await db.rawRow(named, [...values, nextIds(pin, rows)]))
    return { ...(again.readable ? namedChunk(again.rest, pin, rows) : emptyChunk()), facts: again.facts }
  }

  return {
    async page(claim, store_id, range, read) {
      const { offset, limit, unless_version } = read
      const isDeep = signposts !== null && offset >= stride
      const deep = isDeep ? await deepPage(claim, store_id, range, read) : null
      if (deep) return deep
      const values = [...claimValues(claim), store_id, unless_version, offset, limit, range.to, ...range.from]
      const answer = readOf(await db.rawRow(page(read), [...values, ...leftValues(read)]), read)
      if (isDeep && answer.chunk) signposts.prepare(store_id, Number(range.from[0]))
      return answer
    },
    async more(store_id, range, limit, claim) {
      if (claim) return moreFor(claim, store_id, range, limit)
      return chunkOf(await db.rawRow(more, [store_id, limit, range.to, ...range.after]), limit, shape)
    },
  }
}

/** How many entries are to be named for later, behind those that are read at once. */
const leftOf = ({ limit, total = 0, settled = false }: PageRead): number =>
  settled ? Math.max(0, total - limit) : 0

export const leftValues = (read: PageRead): number[] => (leftOf(read) > 0 ? [leftOf(read)] : [])

/** The statement for a page, with what its read needs and nothing else; each is written once. */
export function pageStatements(shape: ListShape, common: PageOptions = {}) {
  const written = new Map<number, string>()
  return (read: PageRead, { shortcut = false } = {}): string => {
    const options = {
      shortcut,
      skips: shortcut || read.offset > 0,
      keys: read.total === undefined || read.total > read.limit,
      rest: leftOf(read) > 0,
    }
    const name = Object.values(options).reduce((sum, flag) => sum * 2 + Number(flag), 0)
    const sql = written.get(name) ?? pageSql(shape, { ...common, ...options })
    written.set(name, sql)
    return sql
  }
}

export const emptyChunk = (): Chunk => ({ bytes: new Uint8Array(), rows: 0, next: null })

export function chunkOf([rows, bytes, ...last]: RawRow, limit: number, { order }: ListShape): Chunk {
  const count = Number(rows)
  const next = count < limit ? null : order.map((_, i) => String(last[i]))
  return { bytes: bytes ?? new Uint8Array(), rows: count, next }
}

/** The beginning of a page, with what its read asked to know of the rest. */
export function pageChunk(row: RawRow, read: PageRead, version: number, shape: ListShape): Chunk {
  const { limit, total = Number.POSITIVE_INFINITY } = read
  const chunk = chunkOf(row, limit, shape)
  if (chunk.next === null || chunk.rows >= total) return { ...chunk, next: null }
  if (leftOf(read) === 0) return chunk
  const ids = row.at(-1)
  if (!ids) return { ...chunk, next: null }
  const left = (JSON.parse(String(ids)) as string[]).length
  return { ...chunk, next: pinned({ version, key: chunk.next, ids: String(ids), done: 0, left }) }
}

/** The next entries of a settled page, which nothing has moved. */
export function pinnedChunk(row: RawRow, pin: Pin, rows: number, shape: ListShape): Chunk {
  const chunk = chunkOf(row, rows, shape)
  return { ...chunk, next: chunk.next && advance(pin, chunk.rows, chunk.next) }
}

/** The next entries of a settled page, wherever they are by now. */
export function namedChunk([rows, bytes]: RawRow, pin: Pin, asked: number): Chunk {
  return { bytes: bytes ?? new Uint8Array(), rows: Number(rows), next: advance(named(pin), asked) }
}
