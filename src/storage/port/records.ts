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
  /** What it adds to the sales, written by `lib/sold.ts`; empty when it adds nothing. */
  sold: string
  doc: string
}

/** Which rows a batch is about. */
export interface RecordKeys {
  store_ids: readonly bigint[]
  items: readonly { store_id: bigint; id: bigint }[]
  orders: readonly { store_id: bigint; id: string }[]
}

/** Those rows as they are, read under the lock that the changes will be written under. */
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
   * The versions that rise, rise to this at least. Given as a time, so that a database that was restored from a backup
   * never gives a version out again that it had before.
   */
  least_version?: number
  /** What the log tells of it. */
  audit?: readonly AuditEntry[]
}

export interface Records {
  /**
   * One transaction: locks the batch's stores, reads the rows, lets `decide` say what changes, writes that, raises
   * the versions of the stores whose orders or items changed, and commits durably. A store that changes its merchant
   * loses the authorizations that its former merchant gave. When `decide` throws, nothing is written.
   */
  write<T extends RecordChanges>(keys: RecordKeys, decide: (existing: ExistingRows) => T): Promise<T>
}
