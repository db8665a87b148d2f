import type { Seconds } from '../../lib/clock.ts'
import type { Sold } from '../../lib/sold.ts'
import type { AuditEntry } from './audit.ts'

export interface StoreRow {
  id: bigint
  name: string
  timezone: string
  merchant: string | null
  doc: string
}

/** A row with the number of its newest change; a store with the newest number of its sequence. */
export type Numbered<Row> = Row & { seq: number }

export interface ItemRow {
  store_id: bigint
  id: bigint
  updated_at: Seconds
  doc: string
}

export interface OrderRow {
  store_id: bigint
  id: string
  created_at: Seconds
  updated_at: Seconds
  paid_at: Seconds | null
  /** In cents. */
  subtotal: number
  /** The order's part of the sales, encoded by `lib/sold.ts`; empty when it has none. */
  sold: string
  doc: string
}

/** The keys of the rows that `decide` needs. */
export interface RecordKeys {
  store_ids: readonly bigint[]
  items: readonly { store_id: bigint; id: bigint }[]
  orders: readonly { store_id: bigint; id: string }[]
  /** More stores to lock: those of later parts. */
  locked?: readonly bigint[]
  /** Stores that the batch may create. */
  new_store_ids?: readonly bigint[]
}

/** The stored rows that records may change. */
export interface Rows {
  stores: readonly StoreRow[]
  items: readonly ItemRow[]
  orders: readonly OrderRow[]
}

/** The stored rows of these keys with their numbers, read under the lock that also covers the write. */
export interface ExistingRows extends Rows {
  items: readonly Numbered<ItemRow>[]
  orders: readonly Numbered<OrderRow>[]
}

export interface RollupDelta extends Sold {
  store_id: bigint
  width: Seconds
  bucket: Seconds
}

export interface RecordChanges {
  stores: readonly StoreRow[]
  items: readonly ItemRow[]
  /** `was_created_at` is the created_at under which the order is stored now; null for a new order. */
  orders: readonly { row: OrderRow; was_created_at: Seconds | null }[]
  rollups: readonly RollupDelta[]
  /** The lowest seq for a change; the caller passes a time, so that a restored database never repeats a number. */
  least_seq?: number
  /** Its entries in the audit log. */
  audit?: readonly AuditEntry[]
  /** What the same transaction does next. A large batch comes in parts, so that its rows are never all in memory. */
  next?: RecordPart | null
}

export interface RecordPart {
  keys: RecordKeys
  /** Called with the rows as the parts before left them. */
  decide(existing: ExistingRows): RecordChanges
}

/** The newest seq of a store after a batch, and of its orders and items if they changed. */
export interface SequenceMove {
  store_id: bigint
  seq: number
  orders_seq: number | null
  items_seq: number | null
}

export interface Records {
  /**
   * One transaction: locks the batch's stores, reads the rows, calls `decide` for the changes, gives each changed order
   * and item the next number of its store's sequence, writes them, does the same for the next parts, and commits
   * durably. A store whose merchant changes loses the authorizations of its former merchant. When `decide` throws,
   * nothing is written. `stored` are the ids of the locked stores that exist.
   */
  write<T extends RecordChanges>(
    keys: RecordKeys,
    decide: (existing: ExistingRows, stored: ReadonlySet<bigint>) => T,
  ): Promise<{ changes: T; moves: readonly SequenceMove[] }>
}
