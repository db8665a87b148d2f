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
  /** `created_at` of an order, `updated_at` of an item. */
  time: number
  subtotal: number
}

interface NumberedBatch {
  ids: (string | bigint)[]
  subtotals: number[]
  first_seq: number
  receipts: readonly ReceiptDelta[]
}

type Position = Pick<UnnumberedRow, 'id' | 'time'>

/** Before every row of a kind. */
const start: Record<ChangeKind, Position> = {
  order: { time: Number.MIN_SAFE_INTEGER, id: '' },
  item: { time: Number.MIN_SAFE_INTEGER, id: 0n },
}

/** How an engine reads and numbers rows. */
export interface Numbering {
  /** The stores that have a row without a number, each with such a kind of row. */
  unnumbered(): Promise<{ store_id: bigint; kind: ChangeKind }[]>
  /**
   * One transaction under the lock of the store's row: reads the first rows without a number behind a position, by time
   * and id, and writes what `number` makes of them. `first_seq` follows the store's newest seq, read under the same lock.
   */
  batch(
    store_id: bigint,
    kind: ChangeKind,
    after: Position,
    limit: number,
    number: (rows: readonly UnnumberedRow[], first_seq: number) => NumberedBatch,
  ): Promise<readonly UnnumberedRow[]>
}

/**
 * Numbers the rows of a database from before the sequence, in batches, because one transaction would need a log as
 * large as the database. It can stop anywhere and go on later, and run in several processes at once.
 */
export async function numberRows(numbering: Numbering): Promise<void> {
  for (const { store_id, kind } of await numbering.unnumbered()) {
    let after: Position | undefined = start[kind]
    while (after) {
      const rows = await numbering.batch(store_id, kind, after, batchSize, (found, first_seq) =>
        numberBatch(store_id, kind, found, first_seq),
      )
      after = rows.length === batchSize ? rows.at(-1) : undefined
    }
  }
}

function numberBatch(
  store_id: bigint,
  kind: ChangeKind,
  rows: readonly UnnumberedRow[],
  first_seq: number,
): NumberedBatch {
  const receipts = new Receipts()
  rows.forEach(({ id, time, subtotal }, i) => {
    const seq = first_seq + i
    const day = kind === 'order' ? dayOf(time) : 0
    receipts.add(store_id, kind, day, 1, subtotal, digestParts(id, seq), seq)
  })
  return {
    ids: rows.map(({ id }) => id),
    subtotals: rows.map(({ subtotal }) => subtotal),
    first_seq,
    receipts: receipts.deltas(),
  }
}
