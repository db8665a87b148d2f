import type { ItemRow, OrderRow, StoreRow } from '../../storage/port/index.ts'

/** Without `merchant` the store keeps its owner; null removes it. */
export type PreparedStore = Omit<StoreRow, 'merchant'> & { merchant: string | null | undefined }

/** A valid record, rendered as it will be stored; its store may still be missing. */
export type PreparedRecord = { line: number } & (
  | { kind: 'store'; row: PreparedStore }
  | { kind: 'item'; row: ItemRow }
  | { kind: 'order'; row: OrderRow }
)
