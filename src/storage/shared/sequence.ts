import { type DigestParts, digestParts } from '../../lib/digest.ts'
import type {
  ChangeKind,
  ExistingRows,
  ItemRow,
  Numbered,
  OrderRow,
  RecordChanges,
  SequenceMove,
} from '../port/index.ts'

/** What a batch adds to a row of `receipts`. */
export interface ReceiptDelta {
  store_id: bigint
  kind: ChangeKind
  day: number
  entities: number
  subtotal: number
  digest: DigestParts
  seq: number
}

/** The changes of a part of a batch with their numbers. */
export interface NumberedChanges {
  items: readonly Numbered<ItemRow>[]
  orders: readonly { row: Numbered<OrderRow>; was_created_at: number | null }[]
  receipts: readonly ReceiptDelta[]
}

const secondsOfDay = 86_400

export const dayOf = (seconds: number): number => Math.floor(seconds / secondsOfDay)

/**
 * Gives each changed order and item of a batch the next number of its store's sequence. Used under the lock of the
 * stores' rows, so numbers become visible in their order: a reader who has seen one never finds a lower one later.
 */
export class Sequences {
  readonly #newest: Map<bigint, number>
  readonly #moves = new Map<bigint, SequenceMove>()

  /** `newest`: the newest seq of each locked store. */
  constructor(newest: Map<bigint, number>) {
    this.#newest = newest
  }

  /** The stores whose sequence has moved, by the order in which they did. */
  get moves(): SequenceMove[] {
    return [...this.#moves.values()]
  }

  number(existing: ExistingRows, { items, orders, least_seq = 0 }: RecordChanges): NumberedChanges {
    const receipts = new Receipts()
    const itemsBefore = new Map(existing.items.map(row => [`${row.store_id} ${row.id}`, row]))
    const ordersBefore = new Map(existing.orders.map(row => [`${row.store_id} ${row.id}`, row]))
    return {
      items: items.map(row => {
        const seq = this.#next(row.store_id, 'item', least_seq)
        const before = itemsBefore.get(`${row.store_id} ${row.id}`)
        if (before) receipts.add(row.store_id, 'item', 0, -1, 0, digestParts(row.id, before.seq), seq)
        receipts.add(row.store_id, 'item', 0, 1, 0, digestParts(row.id, seq), seq)
        return { ...row, seq }
      }),
      orders: orders.map(({ row, was_created_at }) => {
        const { store_id, id, created_at, subtotal } = row
        const seq = this.#next(store_id, 'order', least_seq)
        const before = ordersBefore.get(`${store_id} ${id}`)
        if (before) {
          const parts = digestParts(id, before.seq)
          receipts.add(store_id, 'order', dayOf(before.created_at), -1, before.subtotal, parts, seq)
        }
        receipts.add(store_id, 'order', dayOf(created_at), 1, subtotal, digestParts(id, seq), seq)
        return { row: { ...row, seq }, was_created_at }
      }),
      receipts: receipts.deltas(),
    }
  }

  #next(store_id: bigint, kind: ChangeKind, least_seq: number): number {
    const seq = Math.max((this.#newest.get(store_id) ?? 0) + 1, least_seq)
    this.#newest.set(store_id, seq)
    const { orders_seq = null, items_seq = null } = this.#moves.get(store_id) ?? {}
    this.#moves.set(
      store_id,
      kind === 'order'
        ? { store_id, seq, orders_seq: seq, items_seq }
        : { store_id, seq, orders_seq, items_seq: seq },
    )
    return seq
  }
}

/** Sums what a batch adds and subtracts, by row of `receipts`. */
export class Receipts {
  readonly #rows = new Map<string, ReceiptDelta>()

  add(
    store_id: bigint,
    kind: ChangeKind,
    day: number,
    sign: 1 | -1,
    subtotal: number,
    parts: DigestParts,
    seq: number,
  ): void {
    const key = `${store_id} ${kind} ${day}`
    let row = this.#rows.get(key)
    if (!row) {
      row = { store_id, kind, day, entities: 0, subtotal: 0, digest: [0, 0, 0, 0], seq }
      this.#rows.set(key, row)
    }
    row.entities += sign
    row.subtotal += sign * subtotal
    for (let i = 0; i < 4; i++) (row.digest as number[])[i]! += sign * parts[i]!
    row.seq = Math.max(row.seq, seq)
  }

  deltas(): ReceiptDelta[] {
    return [...this.#rows.values()]
  }
}
