import { nextIds, readPin } from '../../shared/page-snapshot.ts'
import type { AccessClaim, Chunk, Cursor } from '../../port/index.ts'
import {
  chunkOf,
  createList,
  emptyChunk,
  leftValues,
  type List,
  namedChunk,
  pageChunk,
  pageStatements,
  pinnedChunk,
} from './list.ts'
import { type ListShape, moreSql } from './list-sql.ts'
import type { Database } from '../connection/database.ts'
import { replicaFacts, type ReplicaReader } from './replica-read.ts'
import type { Value } from '../connection/values.ts'

/**
 * A list whose pages a replica serves while it can.
 *
 * The rest of a page comes from where its beginning came from. A beginning of the primary is continued by the primary:
 * a replica may not have yet what was there when the page began, and an order would be left out. A beginning of the
 * replica is continued by a replica that has at least its version (behind one address there may be several, and one
 * may have been set back), or else by the primary, which has it always. So a page only ever moves forward in time.
 * Who may read on is the primary's to say, each time.
 */
export function createReplicatedList(db: Database, replica: ReplicaReader, shape: ListShape): List {
  const primary = createList(db, shape)
  const facts = replicaFacts(shape.version)
  const page = pageStatements(shape, { facts, first: 1 })
  const version = `select (select ${shape.version} from stores where id = $1)`
  const more = `${version}, entries.* from (${moreSql(shape)}) as entries`
  const named = `${version}, entries.* from (
    select count(*), string_agg(${shape.table}.doc, ',' order by wanted.place)
    from unnest($2::text[]) with ordinality as wanted (id, place)
    join ${shape.table} on ${shape.table}.store_id = $1 and ${shape.table}.id = wanted.id
  ) as entries`

  /** What a replica that has at least the version `least` says of the entries behind `after`. */
  async function fromReplica(
    store_id: bigint,
    { after, to }: { after: Cursor; to: Value },
    limit: number,
    least: number,
  ): Promise<Chunk | null> {
    const pin = readPin(after)
    const rows = Math.min(limit, pin?.left ?? limit)
    const values = [store_id, rows, to, ...(pin ? pin.key : after)]
    const read = await replica.readOn(more, values, least)
    if (read === null || pin === null) return read && chunkOf(read.rest, rows, shape)
    if (read.version === pin.version) return pinnedChunk(read.rest, pin, rows, shape)
    const again = await replica.readOn(named, [store_id, nextIds(pin, rows)], least)
    return again && namedChunk(again.rest, pin, rows)
  }

  async function moreFor(
    claim: AccessClaim,
    store_id: bigint,
    range: { after: Cursor; to: Value },
    limit: number,
    least: number,
  ): Promise<Chunk | null> {
    const [{ facts, readable }, chunk] = await Promise.all([
      replica.facts(claim, store_id),
      fromReplica(store_id, range, limit, least),
    ])
    if (!readable) return { ...emptyChunk(), facts }
    return chunk && { ...chunk, facts }
  }

  return {
    async page(claim, store_id, range, read) {
      const { unless_version } = read
      const values = [store_id, unless_version, read.offset, read.limit, range.to, ...range.from]
      const answer = await replica.read(claim, store_id, {
        version: shape.version,
        unless_version,
        sql: page(read),
        values: [...values, ...leftValues(read)],
      })
      if (answer === null) return primary.page(claim, store_id, range, read)
      const { facts, rest } = answer
      const found = facts.store?.[shape.version] ?? 0
      return { facts, chunk: rest && marked(pageChunk(rest, read, found, shape), found) }
    },
    async more(store_id, { after, to }, limit, claim) {
      const { version, key } = readMark(after)
      if (version !== null) {
        const range = { after: key, to }
        const chunk = claim
          ? await moreFor(claim, store_id, range, limit, version)
          : await fromReplica(store_id, range, limit, version)
        if (chunk !== null) return marked(chunk, version)
      }
      return primary.more(store_id, { after: key, to }, limit, claim)
    },
  }
}

/** No sort key begins with this: they begin with a number. */
const mark = 'replica'

const marked = (chunk: Chunk, version: number): Chunk => ({
  ...chunk,
  next: chunk.next && [mark, version, ...chunk.next],
})

function readMark(cursor: Cursor): { version: number | null; key: Cursor } {
  const [first, version, ...key] = cursor
  return first === mark ? { version: Number(version), key } : { version: null, key: cursor }
}
