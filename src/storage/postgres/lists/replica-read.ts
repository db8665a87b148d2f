import type { ReadClaim, AccessFacts } from '../../port/index.ts'
import { claimValues, type ListVersion, readFacts, storeFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import type { Replica } from './replica.ts'
import type { Value } from '../connection/values.ts'

/**
 * Replaces `storeFacts` in a statement for a replica: the version of the store $1 at the moment of the page, and that
 * of what the page covers. `seen` is the time of the last replayed transaction, by the primary's clock.
 */
export const replicaFacts = (version: ListVersion, list_version = `stores.${version}`): string => `select
    pg_is_in_recovery() as standby, extract(epoch from pg_last_xact_replay_timestamp()) as seen,
    stores.${version}, pg_is_in_recovery() and stores.id is not null as readable, ${list_version} as list_version
  from (select 1) as one left join stores on stores.id = $1`

/** The primary's facts with its time and the version of what a page covers. */
export const primaryFacts = (list_version: string): string =>
  `select facts.*, extract(epoch from now()), ${list_version} from (${storeFacts}) as facts`

/** A statement whose row begins with the columns of `replicaFacts`. */
interface Statement {
  version: ListVersion
  unless_version: number | null
  sql: string
  values: readonly Value[]
  /** `primaryFacts`, and its values behind the store's id. */
  primary: { sql: string; values: readonly Value[] }
}

/** The primary's facts with the version of the page; `rest` is the page's part of the row, null when there is no page. */
interface ReplicaAnswer {
  facts: AccessFacts
  version: number
  rest: RawRow | null
}

export interface ReplicaReader {
  /** Null when the primary must read facts and page. */
  read(claim: ReadClaim, store_id: bigint, statement: Statement): Promise<ReplicaAnswer | null>
  /** For a statement whose row begins with the list's version. Null when the primary must read. */
  readNext(
    sql: string,
    values: readonly Value[],
    at_least: number,
  ): Promise<{ version: number; rest: RawRow } | null>
  /** The primary's facts. */
  facts(claim: ReadClaim, store_id: bigint): Promise<{ facts: AccessFacts; readable: boolean }>
}

/**
 * Queries the primary for the facts and the replica for the page at the same time. The page counts when both have the
 * same version, or when the replica is at most `staleness` seconds behind. Such a page keeps its own version: with the
 * primary's, its ETag would later answer 304 for entries that the client never got.
 */
export function createReplicaReader(db: Database, replica: Replica, staleness: number): ReplicaReader {
  return {
    async read(claim, store_id, { version, unless_version, sql, values, primary: own }) {
      const page = replica.query(sql, values)
      if (page === null) return null
      const primary = readFacts(await db.rawRow(own.sql, [...claimValues(claim), store_id, ...own.values]))
      const { facts, readable } = primary
      const { store } = facts
      const current = readable ? Number(primary.rest[1]) : 0
      if (!readable || store === null || current === unless_version)
        return { facts, version: current, rest: null }
      const row = await page
      if (row === null) return null
      const [standby, seen, found, readable_there, list_version, ...rest] = row
      if (String(standby) === 'f') replica.pause('the read database is no longer a standby')
      if (String(readable_there) === 'f') return null
      const has = Number(found)
      const age = seen ? Number(primary.rest[0]) - Number(seen) : Number.POSITIVE_INFINITY
      if (has !== store[version] && age > staleness) return null
      const covered = Number(list_version)
      return {
        facts: { ...facts, store: { ...store, [version]: has } },
        version: covered,
        rest: covered === unless_version ? null : rest,
      }
    },
    async readNext(sql, values, at_least) {
      const row = await replica.query(sql, values)
      const [version, ...rest] = row ?? []
      return version && Number(version) >= at_least ? { version: Number(version), rest } : null
    },
    facts: async (claim, store_id) =>
      readFacts(await db.rawRow(storeFacts, [...claimValues(claim), store_id])),
  }
}
