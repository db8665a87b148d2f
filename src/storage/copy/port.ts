import type { Key, Row, Table } from '../shared/table.ts'

/** The rows after `after`, up to and including `through`, by primary key; null: no bound. */
export interface Range {
  after: Key | null
  through: Key | null
}

export const everything: Range = { after: null, through: null }

/** Ranges that are written at the same time: enough to use more than one core of the server. */
export const parallelWrites = 4

/** The number of rows and the sum of their checksums (tally.ts). */
export interface Tally {
  rows: number
  sum: bigint
}

/** By store; '' for rows that belong to no store. */
export type Tallies = ReadonlyMap<string, Tally>

export interface Readable {
  /** The first rows of the range by primary key, at most `limit`, fewer when they are large; empty only at the end. */
  read(table: Table, range: Range, limit: number): Promise<Row[]>
}

/** A snapshot of a database: later writes are not visible. */
export interface CopySource extends Readable {
  count(table: Table): Promise<number>
}

export interface CopyTarget extends Readable {
  /** The tallies of the first rows of the range; without a limit, of the whole table. */
  tally(table: Table, range: Range, limit?: number): Promise<Tallies>
  /** One transaction: deletes the keys in `gone`, then inserts or replaces the rows. */
  write(table: Table, rows: readonly Row[], gone: readonly Key[]): Promise<void>
  /** Called after the last write. */
  finish(): Promise<void>
  close(): Promise<void>
}
