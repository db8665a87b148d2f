import type { Data, DataOptions } from './data.ts'
import type { Engine } from './engine.ts'
import type { Row } from './row.ts'

/** What a file in rows/ receives. */
export interface Bench {
  engine: Engine
  /** A folder for files; deleted at the end. */
  folder: string
  /** Seconds of one load run, and the number of runs. */
  seconds: number
  rounds: number
  quick: boolean
  /** Also the rows that take many minutes to prepare. */
  full: boolean
  /** Orders in the database that pages are read from. */
  orders: number
  /** A database filled through the real ingest; the same options return the same database. */
  data(options: DataOptions): Promise<Data>
}

/** Measures one row, or several related ones. */
export type Rows = (bench: Bench) => AsyncGenerator<Row>
