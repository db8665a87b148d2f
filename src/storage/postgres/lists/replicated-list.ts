import { nextIds, readSnapshot } from '../../shared/page-snapshot.ts'
import type { Chunk, Cursor } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import {
  byIdsChunk,
  chunkOf,
  createList,
  firstChunk,
  type List,
  type ListRest,
  pageStatements,
  pageValues,
  rangeChunk,
} from './list.ts'
import { entriesByIdsSql, type ListShape, moreSql, versionSql } from './list-sql.ts'
import { afterClaim } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { primaryFacts, replicaFacts, type ReplicaReader } from './replica-read.ts'
import type { Value } from '../connection/values.ts'

/**
 * A list whose pages come from a replica; the primary still decides about access at each read. A page that the primary
 * began stays there, because a replica that lags behind could miss an order. Later reads of a replica's page need at
 * least its version (one address may lead to several replicas); otherwise the primary continues it.
 */
export function createReplicatedList(db: Database, replica: ReplicaReader, shape: ListShape): List {
  const primary = createList(db, shape)
  // The parameters of `pageSql` from $1 on: the last time is $5, the first key begins at $6.
  const replicaVersion = versionSql(shape, {
    store: '$1',
    from: '$6',
    to: '$5',
    whole: `stores.${shape.version}`,
  })
  const statementFor = pageStatements(shape, {
    facts: replicaFacts(shape.version, replicaVersion),
    first: 1,
  })
  const [store, from, to] = [0, 1, 2].map(place => `$${afterClaim + place}`) as [string, string, string]
  const primarySql = primaryFacts(versionSql(shape, { store, from, to, whole: `facts.${shape.version}` }))
  const storeVersion = `select (select ${shape.version} from stores where id = $1)`
  const more = `${storeVersion}, entries.* from (${moreSql(shape)}) as entries`
  const byIds = `${storeVersion}, entries.* from (${entriesByIdsSql(shape, '$1', '$2')}) as entries`

  /** The entries behind `after` from a replica that has at least the version `least`; null when none does. */
  async function fromReplica(rest: ListRest, least: number): Promise<Chunk | null> {
    const { store_id, after, to, limit } = rest
    const snapshot = readSnapshot(after)
    const rows = Math.min(limit, snapshot?.left ?? limit)
    const read = await replica.readNext(
      more,
      [store_id, rows, to, ...(snapshot ? snapshot.key : after)],
      least,
    )
    if (read === null || snapshot === null) return read && chunkOf(read.rest, rows, shape)
    if (read.version === snapshot.version) return rangeChunk(read.rest, snapshot, rows, shape)
    const again = await replica.readNext(byIds, [store_id, nextIds(snapshot, rows)], least)
    return again && byIdsChunk(again.rest, snapshot, rows)
  }

  return {
    async page(page) {
      const { claim, store_id, unless_version = null } = page
      const answer = await replica.read(claim, store_id, {
        version: shape.version,
        unless_version,
        sql: statementFor(page),
        values: pageValues(page),
        primary: {
          sql: primarySql,
          values: shape.by_day ? [(page.behind ?? page.from)[0] as Value, page.to] : [],
        },
      })
      if (answer === null) return primary.page(page)
      const { facts, version, rest } = answer
      const found = facts.store?.[shape.version] ?? 0
      if (rest === null) return { facts, version, chunk: null, end: null }
      const { chunk, end } = firstChunk(rest, page, found, shape)
      return { facts, version, chunk: marked(chunk, found), end }
    },
    async more(rest) {
      const { version, key: after } = readMark(rest.after)
      if (version === null) return primary.more(rest)
      const [{ facts, readable }, chunk] = await Promise.all([
        replica.facts(rest.claim, rest.store_id),
        fromReplica({ ...rest, after }, version),
      ])
      if (!readable) return { ...emptyChunk(), facts }
      if (chunk === null) return primary.more({ ...rest, after })
      return { ...marked(chunk, version), facts }
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
