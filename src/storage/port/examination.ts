import type { Seconds } from '../../lib/clock.ts'

/** The state of a database, read without changing it: for `tillgate doctor`. */
export interface Examination {
  engine: 'SQLite' | 'PostgreSQL'
  version: string
  /** The number of the last applied migration (0: none), and of the last one that this program knows. */
  schema: SchemaState
  /** Settings or damage that could lose, or have lost, acknowledged writes. */
  durability: Remark[]
  /** The time by the database's own clock; null when it uses this machine's. */
  clock: Seconds | null
  /** When the signing key was created; null: there is none yet. */
  signing_since: Seconds | null
  /** Connections in use, and the server's maximum; null for SQLite. */
  connections: { used: number; most: number } | null
  /** The state of a Citus cluster; null: there is none. */
  cluster: { nodes: number; remarks: Remark[] } | null
  /** Bytes of the disk with the data; null when it is not visible from here. */
  disk: { folder: string; free: number; total: number } | null
}

export interface Remark {
  /** A problem needs action now, a warning can wait. */
  severity: 'problem' | 'warning'
  message: string
  remedy: string
}

export interface SchemaState {
  /** Every migration up to this number is applied; 0: none. */
  current: number
  newest: number
  /** Why this version cannot use the database, whatever it lacks. */
  refusal: string | null
}
