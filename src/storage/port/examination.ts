import type { Seconds } from '../../lib/clock.ts'

/** What a database shows of itself, read without changing anything: for `tillgate doctor`. */
export interface Examination {
  engine: 'SQLite' | 'PostgreSQL'
  version: string
  /** The number of the last migration that was applied, 0 for none, and of the last that this program knows. */
  schema: { current: number; newest: number }
  /** What could lose or has lost something that was acknowledged. */
  durability: Remark[]
  /** By its own clock; null where it has none but this machine's. */
  clock: Seconds | null
  /** When the key that signs was made; null: there is none yet. */
  signing_since: Seconds | null
  /** Connections in use and the most that there can be; null where none are counted. */
  connections: { used: number; most: number } | null
  /** Bytes where it keeps its data; null where that cannot be seen. */
  disk: { folder: string; free: number; total: number } | null
}

export interface Remark {
  /** A problem is to be mended now, a warning some day. */
  weight: 'problem' | 'warning'
  says: string
  mend: string
}
