import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'
import type { SoldItem } from './sales.ts'

export interface StoreRow {
  id: bigint
  name: string
  timezone: string
  merchant: string | null
  doc: string
}

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
}

/** The stored rows of these keys, read under the lock that also covers the write. */
export interface ExistingRows {
  stores: readonly StoreRow[]
  items: readonly ItemRow[]
  orders: readonly OrderRow[]
}

export interface RollupDelta extends SoldItem {
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
  /**
   * The lowest value for a version that rises. The caller passes a time, so that a database restored from a backup never
   * repeats a version.
   */
  least_version?: number
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

export interface Records {
  /**
   * One transaction: locks the batch's stores, reads the rows, calls `decide` for the changes, writes them, raises the
   * versions of the stores whose orders or items changed, does the same for the next parts, and commits durably. A store
   * whose merchant changes loses the authorizations of its former merchant. When `decide` throws, nothing is written.
   * `stored` are the ids of the locked stores that exist.
   */
  write<T extends RecordChanges>(
    keys: RecordKeys,
    decide: (existing: ExistingRows, stored: ReadonlySet<bigint>) => T,
  ): Promise<T>
}
