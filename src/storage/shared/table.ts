/** A row in the order of its table's columns, as text: the form in which both engines say the same. */
export type Row = readonly (string | null)[]
/** The values of a row's primary key. */
export type Key = readonly string[]

type ColumnType = 'text' | 'integer' | 'boolean'

export interface Table {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  key: readonly string[]
  /** The column that says which store a row belongs to. */
  store?: string
  /** Tells rows apart like the key does, and stays when the key changes. */
  identity?: readonly string[]
  /** A change of one row may make way for a new one under a unique index, so changes go before additions. */
  makesWay?: true
}
