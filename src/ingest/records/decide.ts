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
import type { Prepared } from './read.ts'
import { Rollups } from './rollups.ts'

/** A row as it is stored and as the batch leaves it. */
interface Held<Row> {
  stored: Row | null
  row: Row | null
}

interface HeldStore extends Held<StoreRow> {
  items: Map<bigint, Held<ItemRow>>
  orders: Map<string, Held<OrderRow>>
}

export interface Decision extends RecordChanges {
  counts: RecordCounts
  /** Records of a store that neither is stored nor comes before them; with any, the changes must not be written. */
  homeless: { line: number; store_id: bigint }[]
}

/** The rows that a batch is about, each once. */
export function keysOf(records: readonly Prepared[]): RecordKeys {
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

/** What a batch changes: its records one after the other, each seeing those before it. */
export function decide(records: readonly Prepared[], existing: ExistingRows): Decision {
  const stores = hold(existing)
  const counts: RecordCounts = { stores: 0, items: 0, orders: 0, unchanged: 0 }
  const homeless: Decision['homeless'] = []

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
    } else if (!store) homeless.push({ line, store_id: id })
    else if (kind === 'item') {
      if (put(store.items, row.id, row)) counts.items++
      else counts.unchanged++
    } else if (put(store.orders, row.id, row)) counts.orders++
    else counts.unchanged++
  }
  return { ...changesOf(stores), counts, homeless }
}

function hold({ stores, items, orders }: ExistingRows): Map<bigint, HeldStore> {
  const held = new Map<bigint, HeldStore>(
    stores.map(row => [row.id, { stored: row, row, items: new Map(), orders: new Map() }]),
  )
  for (const row of items) held.get(row.store_id)?.items.set(row.id, { stored: row, row })
  for (const row of orders) held.get(row.store_id)?.orders.set(row.id, { stored: row, row })
  return held
}

/**
 * Whether the record takes its place. One that is older than what is there comes late and never does; an identical
 * one changes nothing. At the same second with other content, the one that comes last is right.
 */
function put<Id, Row extends { updated_at: Seconds; doc: string }>(
  rows: Map<Id, Held<Row>>,
  id: Id,
  row: Row,
): boolean {
  const held = rows.get(id)
  if (!held?.row) {
    rows.set(id, { stored: null, row })
    return true
  }
  if (row.updated_at < held.row.updated_at) return false
  if (row.updated_at === held.row.updated_at && row.doc === held.row.doc) return false
  held.row = row
  return true
}

/** Each row once, as the last record that touched it left it. */
function changesOf(held: ReadonlyMap<bigint, HeldStore>): RecordChanges {
  const stores: StoreRow[] = []
  const items: ItemRow[] = []
  const orders: RecordChanges['orders'][number][] = []
  const rollups = new Rollups()
  for (const store of held.values()) {
    if (store.row && store.row !== store.stored) stores.push(store.row)
    for (const { stored, row } of store.items.values()) if (row && row !== stored) items.push(row)
    for (const { stored, row } of store.orders.values()) {
      if (!row || row === stored) continue
      orders.push({ row, was_created_at: stored?.created_at ?? null })
      if (stored) rollups.take(stored.store_id, stored.created_at, stored.sold)
      rollups.add(row.store_id, row.created_at, row.sold)
    }
  }
  return { stores, items, orders, rollups: rollups.deltas() }
}
