import type { Chunk, Cursor } from '../port.ts'
import { chunkOf, createList, type List, type ListShape, moreSql, pageSql } from './list.ts'
import type { Database } from './database.ts'
import { replicaFacts, type ReplicaReader } from './replica-read.ts'

/**
 * A list whose pages a replica serves while it can.
 *
 * The rest of a page comes from where its beginning came from. A beginning of the primary is continued by the primary:
 * a replica may not have yet what was there when the page began, and an order would be left out. A beginning of the
 * replica is continued by a replica that has at least its version (behind one address there may be several, and one
 * may have been set back), or else by the primary, which has it always. So a page only ever moves forward in time.
 */
export function createReplicatedList(db: Database, replica: ReplicaReader, shape: ListShape): List {
  const primary = createList(db, shape)
  const page = pageSql(shape, { facts: replicaFacts(shape.version), first: 1 })
  const more = `select (select ${shape.version} from stores where id = $1), entries.* from (${moreSql(shape)}) as entries`

  return {
    async page(claim, store_id, range, read) {
      const { offset, limit, unless_version } = read
      const values = [store_id, unless_version, offset, limit, range.to, ...range.from]
      const { version } = shape
      const answer = await replica.read(claim, store_id, { version, unless_version, sql: page, values })
      if (answer === null) return primary.page(claim, store_id, range, read)
      const { facts, rest } = answer
      return { facts, chunk: rest && marked(chunkOf(rest, limit, shape), facts.store?.[version] ?? 0) }
    },
    async more(store_id, { after, to }, limit) {
      const { version, key } = readMark(after)
      if (version !== null) {
        const rest = await replica.readOn(more, [store_id, limit, to, ...key], version)
        if (rest !== null) return marked(chunkOf(rest, limit, shape), version)
      }
      return primary.more(store_id, { after: key, to }, limit)
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
