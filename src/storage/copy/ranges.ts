import type { Range, Readable } from './port.ts'
import { keyOf } from '../shared/tables.ts'
import type { Key, Row, Table } from '../shared/table.ts'

/** Rows of one read, and of one transaction of the target: enough that its flush to disk costs little. */
const batchRows = 2000

/** The rows of a range in batches. */
export async function* batchesOf(from: Readable, table: Table, range: Range): AsyncGenerator<Row[]> {
  for (let { after } = range; ; ) {
    const rows = await from.read(table, { ...range, after }, batchRows)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = keyOf(table, last)
  }
}

/**
 * The whole table as consecutive ranges with their rows. The last range has no rows and reaches to the table's end,
 * where the other database may have rows.
 */
export async function* rangesOf(from: Readable, table: Table): AsyncGenerator<{ rows: Row[]; range: Range }> {
  let after: Key | null = null
  for await (const rows of batchesOf(from, table, { after, through: null })) {
    const through = keyOf(table, rows.at(-1) as Row)
    yield { rows, range: { after, through } }
    after = through
  }
  yield { rows: [], range: { after, through: null } }
}
