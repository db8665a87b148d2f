import type { AccessClaim, AccessFacts } from '../../port/index.ts'
import { claimValues, type ListVersion, readFacts, storeFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import type { Replica } from './replica.ts'
import type { Value } from '../connection/values.ts'

/**
 * Stands where `storeFacts` stands in a statement for the primary: what a replica knows of the store $1 at the moment
 * of the page, which it reads if `readable`. `seen` is up to when it has followed the primary, by the primary's clock.
 */
export const replicaFacts = (version: ListVersion): string => `select
    pg_is_in_recovery() as standby, extract(epoch from pg_last_xact_replay_timestamp()) as seen,
    stores.${version}, pg_is_in_recovery() and stores.id is not null as readable
  from (select 1) as one left join stores on stores.id = $1`

const factsNow = `select facts.*, extract(epoch from now()) from (${storeFacts}) as facts`

/** A statement that begins with the columns of `replicaFacts`. */
interface Question {
  version: ListVersion
  unless_version: number | null
  sql: string
  values: readonly Value[]
}

/** The facts, with the version that the answer has; and what follows in its row, null when there is nothing to read. */
interface ReplicaAnswer {
  facts: AccessFacts
  rest: RawRow | null
}

export interface ReplicaReader {
  /** Null: ask the primary for facts and page. */
  read(claim: AccessClaim, store_id: bigint, question: Question): Promise<ReplicaAnswer | null>
  /** For a statement whose row begins with a version: that, and what follows it. Null: ask the primary. */
  readOn(
    sql: string,
    values: readonly Value[],
    at_least: number,
  ): Promise<{ version: number; rest: RawRow } | null>
  /** What the primary says of a claim. */
  facts(claim: AccessClaim, store_id: bigint): Promise<{ facts: AccessFacts; readable: boolean }>
}

/**
 * The primary and the replica are asked at once, so a page takes the time of one round trip. Who may read is the
 * primary's to say. The page is taken when the replica has the version that the primary has: then it is exact, however
 * long nothing was written. When versions differ, a write is on its way, and the page may be `staleness` seconds old.
 *
 * An older page brings its own version along. With the primary's, its reader would be told "unchanged" from then on,
 * of a page that it never got.
 */
export function createReplicaReader(db: Database, replica: Replica, staleness: number): ReplicaReader {
  return {
    async read(claim, store_id, { version, unless_version, sql, values }) {
      const asked = replica.ask(sql, values)
      if (asked === null) return null
      const own = readFacts(await db.rawRow(factsNow, [...claimValues(claim), store_id]))
      const { facts, readable } = own
      const { store } = facts
      if (!readable || store === null || store[version] === unless_version) return { facts, rest: null }
      const row = await asked
      if (row === null) return null
      const [standby, seen, found, there, ...rest] = row
      if (String(standby) === 'f') replica.rest('the read database is no standby any more')
      if (String(there) === 'f') return null
      const has = Number(found)
      const age = seen ? Number(own.rest[0]) - Number(seen) : Number.POSITIVE_INFINITY
      if (has !== store[version] && age > staleness) return null
      const known = has === unless_version
      return { facts: { ...facts, store: { ...store, [version]: has } }, rest: known ? null : rest }
    },
    async readOn(sql, values, at_least) {
      const row = await replica.ask(sql, values)
      const [version, ...rest] = row ?? []
      return version && Number(version) >= at_least ? { version: Number(version), rest } : null
    },
    facts: async (claim, store_id) =>
      readFacts(await db.rawRow(storeFacts, [...claimValues(claim), store_id])),
  }
}
