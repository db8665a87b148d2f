import type { Data, DataOptions } from './data.ts'
import type { Engine } from './engine.ts'
import type { Row } from './row.ts'

/** What a file in rows/ is given. */
export interface Bench {
  engine: Engine
  /** Where it may leave files; gone afterwards. */
  folder: string
  /** Seconds that one stretch of load lasts, and how many there are. */
  seconds: number
  rounds: number
  quick: boolean
  /** Also what takes many minutes to prepare. */
  full: boolean
  /** Orders in the database that pages are read from. */
  orders: number
  /** A database filled through the real ingest; the same options give the same one. */
  data(options: DataOptions): Promise<Data>
}

/** Measures one row, or several that belong together. */
export type Rows = (bench: Bench) => AsyncGenerator<Row>
