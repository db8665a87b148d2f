/** A row in the order of its table's columns, as text, which is the same in both engines. */
export type Row = readonly (string | null)[]
/** The values of a row's primary key. */
export type Key = readonly string[]

/**
 * Both engines store `int64` and `number` as 64-bit integers. An `int64` (an id, an exact sum) is a bigint above the
 * engine; a `number` (a time, a count, a version) never exceeds 2^53.
 */
export type ColumnType = 'text' | 'int64' | 'number' | 'boolean'

export interface Table {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  key: readonly string[]
  /** The column with the id of the store that a row belongs to. */
  store?: string
  /** Identifies a row like the key does, and stays the same when the key changes. */
  identity?: readonly string[]
  /** A changed row may free a value of a unique index for a new row, so changes are written before additions. */
  changesFirst?: true
}
