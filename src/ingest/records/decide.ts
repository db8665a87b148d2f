import type { Seconds } from '../../lib/clock.ts'
import type {
  ItemRow,
  OrderRow,
  RecordChanges,
  RecordKeys,
  Rows,
  StoreRow,
} from '../../storage/port/index.ts'
import type { PreparedRecord, PreparedStore } from './prepared.ts'
import { Rollups } from './rollups.ts'
import type { Effect, Tally } from './tally.ts'
import { isTooFarAhead } from './updated-at.ts'

/** A row as it is stored and as the batch changes it. */
interface Tracked<Row> {
  stored: Row | null
  row: Row
}

/** The rows of a store that the batch touches. */
interface TrackedStore {
  items: Map<bigint, Tracked<ItemRow>>
  orders: Map<string, Tracked<OrderRow>>
}

/** The keys of the rows that these records may change, each once. */
export function keysOf(records: readonly PreparedRecord[]): RecordKeys {
  const store_ids = new Set<bigint>()
  const items: RecordKeys['items'][number][] = []
  const orders: RecordKeys['orders'][number][] = []
  const seen = new Set<string>()
  for (const { kind, row } of records) {
    if (kind === 'store') {
      store_ids.add(row.id)
      continue
    }
    const key = `${kind} ${row.store_id} ${row.id}`
    if (seen.has(key)) continue
    seen.add(key)
    if (kind === 'item') items.push({ store_id: row.store_id, id: row.id })
    else orders.push({ store_id: row.store_id, id: row.id })
  }
  return { store_ids: [...store_ids], items, orders }
}

/**
 * The changes that records make to the rows of their keys. Each record applies on top of those before it. The store of
 * every item and order exists, or is among the records.
 */
export function decide(
  records: readonly PreparedRecord[],
  existing: Rows,
  now: Seconds,
  tally: Tally,
): RecordChanges {
  const stores = new Map<bigint, Tracked<StoreRow>>(
    existing.stores.map(row => [row.id, { stored: row, row }]),
  )
  const rows = track(existing)
  for (const record of records) {
    const { kind, row } = record
    if (kind === 'store') tally.add(record, putStore(stores, row))
    else {
      const store = rowsOf(rows, row.store_id)
      if (kind === 'item') tally.add(record, put(store.items, row.id, row, now))
      else tally.add(record, put(store.orders, row.id, row, now))
    }
  }
  return changesOf(stores, rows)
}

function track({ items, orders }: Rows): Map<bigint, TrackedStore> {
  const rows = new Map<bigint, TrackedStore>()
  for (const row of items) rowsOf(rows, row.store_id).items.set(row.id, { stored: row, row })
  for (const row of orders) rowsOf(rows, row.store_id).orders.set(row.id, { stored: row, row })
  return rows
}

function rowsOf(rows: Map<bigint, TrackedStore>, store_id: bigint): TrackedStore {
  let store = rows.get(store_id)
  if (!store) {
    store = { items: new Map(), orders: new Map() }
    rows.set(store_id, store)
  }
  return store
}

/** Stores have no time: the later record wins. */
function putStore(
  stores: Map<bigint, Tracked<StoreRow>>,
  { id, name, timezone, merchant, doc }: PreparedStore,
): Effect {
  const tracked = stores.get(id)
  const owner = merchant === undefined ? (tracked?.row.merchant ?? null) : merchant
  if (tracked?.row.doc === doc && tracked.row.merchant === owner) return 'unchanged'
  setLast(stores, id, { stored: tracked?.stored ?? null, row: { id, name, timezone, merchant: owner, doc } })
  return 'changed'
}

/**
 * An older record is stale, unless the stored time is one that no record may have: it would block every correction. At
 * the same second with other content the later record wins.
 */
function put<Id, Row extends { updated_at: Seconds; doc: string }>(
  rows: Map<Id, Tracked<Row>>,
  id: Id,
  row: Row,
  now: Seconds,
): Effect {
  const tracked = rows.get(id)
  if (tracked) {
    const { updated_at, doc } = tracked.row
    if (row.updated_at < updated_at && !isTooFarAhead(updated_at, now)) return { stale: updated_at }
    if (row.updated_at === updated_at && row.doc === doc) return 'unchanged'
  }
  setLast(rows, id, { stored: tracked?.stored ?? null, row })
  return 'changed'
}

/** Changes come in the order of the records that made them, whatever the order in which the database returned the rows. */
function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
}

/** Each changed row once, as the last record left it. */
function changesOf(
  trackedStores: ReadonlyMap<bigint, Tracked<StoreRow>>,
  rows: ReadonlyMap<bigint, TrackedStore>,
): RecordChanges {
  const stores = changed(trackedStores)
  const items: ItemRow[] = []
  const orders: RecordChanges['orders'][number][] = []
  const rollups = new Rollups()
  for (const store of rows.values()) {
    items.push(...changed(store.items))
    for (const { stored, row } of store.orders.values()) {
      if (row === stored) continue
      orders.push({ row, was_created_at: stored?.created_at ?? null })
      if (stored) rollups.subtract(stored.store_id, stored.created_at, stored.sold)
      rollups.add(row.store_id, row.created_at, row.sold)
    }
  }
  return { stores, items, orders, rollups: rollups.deltas() }
}

const changed = <Row>(tracked: ReadonlyMap<unknown, Tracked<Row>>): Row[] =>
  [...tracked.values()].filter(({ stored, row }) => row !== stored).map(({ row }) => row)
