import type { AccessClaim, AccessFacts, Cursor } from '../port.ts'
import { claimValues, readFacts, storeFacts } from './access.ts'
import type { RawRow } from './connection.ts'
import type { Database } from './database.ts'
import type { Replica } from './replica.ts'
import type { Value } from './values.ts'

/**
 * Which list of a store a statement reads, by the version that rises with each of its changes. A statement for a
 * replica begins with `replicaFacts` in the place of `storeFacts`.
 */
export type ListVersion = 'orders_version' | 'items_version'

/**
 * What a replica knows of the store $1 at the moment of the page: whether the page can be read, at which version, and
 * up to when it has followed the primary, by the primary's clock.
 */
export const replicaFacts = (version: ListVersion): string => `select
  pg_is_in_recovery() as standby, extract(epoch from pg_last_xact_replay_timestamp()) as followed_to,
  pg_is_in_recovery() and stores.id is not null as readable, stores.${version}
  from (select 1) as one left join stores on stores.id = $1`

const factsNow = `select facts.*, extract(epoch from now()) from (${storeFacts}) as facts`

export interface Question {
  version: ListVersion
  unless_version: number | null
  sql: string
  values: readonly Value[]
}

/** `facts` have the version of the answer; `rest` is null when that is the caller's own. */
export interface ReplicaAnswer {
  facts: AccessFacts
  version: number
  rest: RawRow | null
}

export interface ReplicaReader {
  /** The facts from the primary, and the page from the replica; null: ask the primary for both. */
  read(claim: AccessClaim, store_id: bigint, question: Question): Promise<ReplicaAnswer | null>
  /** Whatever follows the row's first value, the version; null: ask the primary. */
  readOn(sql: string, values: readonly Value[], version: number): Promise<RawRow | null>
}

/**
 * Both are asked at once, so a page takes the time of one round trip. Who may read is the primary's to say. The page
 * is the replica's when it has the version that the primary has: then it is exact, however old it looks. When it has
 * another, its page may be `staleness` seconds old at most. Its version then becomes the answer's: with that of the
 * primary the reader would be told "unchanged" from there on, about a page that it never got.
 */
export function createReplicaReader(db: Database, replica: Replica, staleness: number): ReplicaReader {
  return {
    async read(claim, store_id, { version: name, unless_version, sql, values }) {
      const page = replica.row(sql, values)
      // Nothing to ask for: the primary does better with one statement for both.
      if (!replica.usable) return null
      const primary = await db.rawRow(factsNow, [...claimValues(claim), store_id])
      const { facts, readable, rest: clock } = readFacts(primary)
      const { store } = facts
      if (!readable || !store) return { facts, version: 0, rest: null }
      if (store[name] === unless_version) return { facts, version: store[name], rest: null }
      const row = await page
      if (row === null) return null
      const [standby, followedTo, , version, ...rest] = row.map(String)
    },
  }
}
