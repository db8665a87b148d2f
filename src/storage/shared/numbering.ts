import { digestParts } from '../../lib/digest.ts'
import type { ChangeKind } from '../port/index.ts'
import { dayOf, type ReceiptDelta, Receipts } from './sequence.ts'

/** The migration before which the rows of an older database get their numbers. */
export const numberingMigration = 10

/** Rows of one transaction. */
const batchSize = 5000

/** A row of an older database that has no number yet. */
export interface UnnumberedRow {
  id: string | bigint
  /** Of an order. */
  created_at: number
  subtotal: number
}

interface NumberedBatch {
  ids: (string | bigint)[]
  subtotals: number[]
  first_seq: number
  receipts: readonly ReceiptDelta[]
}

/** How an engine reads and numbers rows. */
export interface Numbering {
  /** The stores that have a row without a number, each with such a kind of row. */
  unnumbered(): Promise<{ store_id: bigint; kind: ChangeKind }[]>
  /**
   * One transaction under the lock of the store's row: reads the first rows without a number, by time and id, and the
   * highest number given so far, and writes what `number` makes of them. Returns how many there were.
   */
  batch(
    store_id: bigint,
    kind: ChangeKind,
    limit: number,
    number: (rows: readonly UnnumberedRow[], highest: number) => NumberedBatch,
  ): Promise<number>
}

/**
 * Numbers the rows of a database from before the sequence, in batches, because one transaction would need a log as
 * large as the database. It can stop anywhere and go on later.
 */
export async function numberRows(numbering: Numbering): Promise<void> {
  for (const { store_id, kind } of await numbering.unnumbered()) {
    let rows
    do {
      rows = await numbering.batch(store_id, kind, batchSize, (found, highest) =>
        numberBatch(store_id, kind, found, highest + 1),
      )
    } while (rows === batchSize)
  }
}

function numberBatch(
  store_id: bigint,
  kind: ChangeKind,
  rows: readonly UnnumberedRow[],
  first_seq: number,
): NumberedBatch {
  const receipts = new Receipts()
  rows.forEach(({ id, created_at, subtotal }, i) => {
    const seq = first_seq + i
    const day = kind === 'order' ? dayOf(created_at) : 0
    receipts.add(store_id, kind, day, 1, subtotal, digestParts(id, seq), seq)
  })
  return {
    ids: rows.map(({ id }) => id),
    subtotals: rows.map(({ subtotal }) => subtotal),
    first_seq,
    receipts: receipts.deltas(),
  }
}
