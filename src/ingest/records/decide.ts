import type { RecordCounts } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import type {
  ExistingRows,
  ItemRow,
  OrderRow,
  RecordChanges,
  RecordKeys,
  StoreRow,
} from '../../storage/port/index.ts'
import type { PreparedRecord } from './read.ts'
import { Rollups } from './rollups.ts'

/** A row as it is stored and as the batch changes it. */
interface Tracked<Row> {
  stored: Row | null
  row: Row | null
}

interface TrackedStore extends Tracked<StoreRow> {
  items: Map<bigint, Tracked<ItemRow>>
  orders: Map<string, Tracked<OrderRow>>
}

export interface Decision extends RecordChanges {
  counts: RecordCounts
  /** Records whose store is neither stored nor in an earlier line; with any, the changes must not be written. */
  missing_store: { line: number; store_id: bigint }[]
}

/** The keys of the rows that a batch may change, each once. */
export function keysOf(records: readonly PreparedRecord[]): RecordKeys {
  const store_ids = new Set<bigint>()
  const items: RecordKeys['items'][number][] = []
  const orders: RecordKeys['orders'][number][] = []
  const seen = new Set<string>()
  for (const { kind, row } of records) {
    store_ids.add(kind === 'store' ? row.id : row.store_id)
    if (kind === 'store') continue
    const key = `${kind} ${row.store_id} ${row.id}`
    if (seen.has(key)) continue
    seen.add(key)
    if (kind === 'item') items.push({ store_id: row.store_id, id: row.id })
    else orders.push({ store_id: row.store_id, id: row.id })
  }
  return { store_ids: [...store_ids], items, orders }
}

/** The changes that a batch makes. Its records apply in order, each on top of those before it. */
export function decide(records: readonly PreparedRecord[], existing: ExistingRows): Decision {
  const stores = track(existing)
  const counts: RecordCounts = { stores: 0, items: 0, orders: 0, unchanged: 0 }
  const missing_store: Decision['missing_store'] = []

  for (const record of records) {
    const { kind, line, row } = record
    const id = kind === 'store' ? row.id : row.store_id
    const store = stores.get(id)
    if (kind === 'store') {
      if (store?.row?.doc === row.doc && store.row.merchant === row.merchant) counts.unchanged++
      else {
        counts.stores++
        if (store) store.row = row
        else stores.set(id, { stored: null, row, items: new Map(), orders: new Map() })
      }
    } else if (!store) missing_store.push({ line, store_id: id })
    else if (kind === 'item') {
      if (put(store.items, row.id, row)) counts.items++
      else counts.unchanged++
    } else if (put(store.orders, row.id, row)) counts.orders++
    else counts.unchanged++
  }
  return { ...changesOf(stores), counts, missing_store }
}

function track({ stores, items, orders }: ExistingRows): Map<bigint, TrackedStore> {
  const tracked = new Map<bigint, TrackedStore>(
    stores.map(row => [row.id, { stored: row, row, items: new Map(), orders: new Map() }]),
  )
  for (const row of items) tracked.get(row.store_id)?.items.set(row.id, { stored: row, row })
  for (const row of orders) tracked.get(row.store_id)?.orders.set(row.id, { stored: row, row })
  return tracked
}

/**
 * Returns whether the record changes the row. An older or identical record does not; at the same second with other
 * content the later record wins.
 */
function put<Id, Row extends { updated_at: Seconds; doc: string }>(
  rows: Map<Id, Tracked<Row>>,
  id: Id,
  row: Row,
): boolean {
  const tracked = rows.get(id)
  if (!tracked?.row) {
    rows.set(id, { stored: null, row })
    return true
  }
  if (row.updated_at < tracked.row.updated_at) return false
  if (row.updated_at === tracked.row.updated_at && row.doc === tracked.row.doc) return false
  tracked.row = row
  return true
}

/** Each changed row once, as the last record left it. */
function changesOf(tracked: ReadonlyMap<bigint, TrackedStore>): RecordChanges {
  const stores: StoreRow[] = []
  const items: ItemRow[] = []
  const orders: RecordChanges['orders'][number][] = []
  const rollups = new Rollups()
  for (const store of tracked.values()) {
    if (store.row && store.row !== store.stored) stores.push(store.row)
    for (const { stored, row } of store.items.values()) if (row && row !== stored) items.push(row)
    for (const { stored, row } of store.orders.values()) {
      if (!row || row === stored) continue
      orders.push({ row, was_created_at: stored?.created_at ?? null })
      if (stored) rollups.subtract(stored.store_id, stored.created_at, stored.sold)
      rollups.add(row.store_id, row.created_at, row.sold)
    }
  }
  return { stores, items, orders, rollups: rollups.deltas() }
}
