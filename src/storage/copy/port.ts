import type { Key, Row, Table } from '../shared/table.ts'

/** The rows behind `after` up to and including `through`, by primary key; null is the table's end. */
export interface Range {
  after: Key | null
  through: Key | null
}

export const everything: Range = { after: null, through: null }

/** Ranges that are brought up to date at the same time: enough to keep a server busy on more than one of its cores. */
export const parallelWrites = 4

/** How many rows, and the sum of their checksums (tally.ts). */
export interface Tally {
  rows: number
  sum: bigint
}

/** By store; under '' what belongs to none. */
export type Tallies = ReadonlyMap<string, Tally>

export interface Readable {
  /** The first of the range's rows by primary key, `limit` at most, fewer when they are large. None: there are none. */
  read(table: Table, range: Range, limit: number): Promise<Row[]>
}

/** A database of one moment: whoever writes to it meanwhile is not seen. */
export interface CopySource extends Readable {
  count(table: Table): Promise<number>
}

export interface CopyTarget extends Readable {
  /** Of the first rows of the range; without a limit, of the whole table. */
  tally(table: Table, range: Range, limit?: number): Promise<Tallies>
  /** One transaction: deletes `gone`, then writes the rows whole, over what has their key. */
  write(table: Table, rows: readonly Row[], gone: readonly Key[]): Promise<void>
  /** Called when all is written. */
  settle(): Promise<void>
  close(): Promise<void>
}
