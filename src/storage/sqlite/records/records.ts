import type {
  ExistingRows,
  ItemRow,
  OrderRow,
  RecordChanges,
  RecordKeys,
  Records,
  StoreRow,
} from '../../port/index.ts'
import { storesOf } from '../../shared/record-keys.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'

type StoredOrder = Omit<OrderRow, 'store_id' | 'id'>
type StoredItem = Omit<ItemRow, 'store_id' | 'id'>
type StoredStore = Omit<StoreRow, 'id'>

export function createRecords(db: Database, writeAudit: WriteAudit): Records {
  const read = prepareRead(db)
  const storeExists = db.prepare('select 1 from stores where id = ?')
  const writeStore = prepareStoreWrite(db)
  const writeOrder = prepareOrderWrite(db)
  const upsertItem = db.prepare(
    `insert into items (store_id, id, updated_at, doc) values (?, ?, ?, ?)
     on conflict (store_id, id) do update set updated_at = excluded.updated_at, doc = excluded.doc`,
  )
  const addRollup = db.prepare(
    `insert into sales_rollups (store_id, width, bucket, item_id, lines, units, nanos) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (store_id, width, bucket, item_id) do update
     set lines = lines + excluded.lines, units = units + excluded.units, nanos = nanos + excluded.nanos`,
  )
  const dropEmptyRollup = db.prepare(
    'delete from sales_rollups where store_id = ? and width = ? and bucket = ? and item_id = ? and lines = 0',
  )
  const raiseOrders = db.prepare('update stores set orders_version = max(orders_version + 1, ?) where id = ?')
  const raiseItems = db.prepare('update stores set items_version = max(items_version + 1, ?) where id = ?')

  function apply({ stores, items, orders, rollups, least_version = 0, audit = [] }: RecordChanges): void {
    for (const store of stores) writeStore(store)
    for (const { store_id, id, updated_at, doc } of items) upsertItem.run(store_id, id, updated_at, doc)
    for (const { row, was_created_at } of orders) writeOrder(row, was_created_at)
    for (const { store_id, width, bucket, item_id, lines, units, nanos } of rollups) {
      addRollup.run(store_id, width, bucket, item_id, lines, units, nanos)
      if (lines <= 0n) dropEmptyRollup.run(store_id, width, bucket, item_id)
    }
    for (const id of new Set(orders.map(({ row }) => row.store_id))) raiseOrders.run(least_version, id)
    for (const id of new Set(items.map(({ store_id }) => store_id))) raiseItems.run(least_version, id)
    for (const entry of audit) writeAudit(entry)
  }

  const existingStores = (keys: RecordKeys): Set<bigint> =>
    new Set(storesOf(keys).filter(id => storeExists.get(id) !== undefined))

  return {
    write: (keys, decide) =>
      db.write(() => {
        const changes = decide(read(keys), existingStores(keys))
        apply(changes)
        for (let part = changes.next; part; ) {
          const more = part.decide(read(part.keys))
          apply(more)
          part = more.next
        }
        return changes
      }),
  }
}

function prepareRead(db: Database): (keys: RecordKeys) => ExistingRows {
  const store = db.prepare<StoredStore>('select name, timezone, merchant, doc from stores where id = ?')
  const item = db.prepare<StoredItem>('select updated_at, doc from items where store_id = ? and id = ?')
  const order = db.prepare<StoredOrder>(
    'select created_at, updated_at, paid_at, sold, doc from orders where store_id = ? and id = ?',
  )
  return ({ store_ids, items, orders }) => ({
    stores: found(store_ids, id => spread({ id }, store.get(id))),
    items: found(items, ({ store_id, id }) => spread({ store_id, id }, item.get(store_id, id))),
    orders: found(orders, ({ store_id, id }) => spread({ store_id, id }, order.get(store_id, id))),
  })
}

function prepareStoreWrite(db: Database): (store: StoreRow) => void {
  const upsert = db.prepare(
    `insert into stores (id, name, timezone, merchant, doc) values (?, ?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, timezone = excluded.timezone,
       merchant = excluded.merchant, doc = excluded.doc`,
  )
  // The operator's own links (account_id null) stay when the merchant changes.
  const dropConsents = db.prepare(
    `delete from authorization_stores
     where store_id = ?1 and exists (select 1 from stores where id = ?1 and merchant is not ?2)
       and exists (select 1 from authorizations
         where id = authorization_stores.authorization_id and account_id is not null)`,
  )
  // The new merchant must not see what happened under the former one.
  const merchantChanges =
    'exists (select 1 from stores where id = ?1 and merchant is not null and merchant is not ?2)'
  const dropReads = db.prepare(`delete from usage_reads where store_id = ?1 and ${merchantChanges}`)
  const dropActivations = db.prepare(
    `delete from activations where store_id = ?1 and ${merchantChanges}
       and app_id not in (select app_id from authorization_stores where store_id = ?1)`,
  )
  return ({ id, name, timezone, merchant, doc }) => {
    dropConsents.run(id, merchant)
    dropReads.run(id, merchant)
    dropActivations.run(id, merchant)
    upsert.run(id, name, timezone, merchant, doc)
  }
}

function prepareOrderWrite(db: Database): (row: OrderRow, was_created_at: number | null) => void {
  const insert = db.prepare(
    'insert into orders (store_id, created_at, id, updated_at, paid_at, sold, doc) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const update = db.prepare(
    `update orders set updated_at = ?, paid_at = ?, sold = ?, doc = ?
     where store_id = ? and created_at = ? and id = ?`,
  )
  const remove = db.prepare('delete from orders where store_id = ? and created_at = ? and id = ?')

  return ({ store_id, created_at, id, updated_at, paid_at, sold, doc }, was_created_at) => {
    if (was_created_at === created_at) {
      update.run(updated_at, paid_at, sold, doc, store_id, created_at, id)
      return
    }
    if (was_created_at !== null) remove.run(store_id, was_created_at, id)
    insert.run(store_id, created_at, id, updated_at, paid_at, sold, doc)
  }
}

function found<Key, Row>(keys: readonly Key[], find: (key: Key) => Row | null): Row[] {
  const rows: Row[] = []
  for (const key of keys) {
    const row = find(key)
    if (row) rows.push(row)
  }
  return rows
}

const spread = <Key, Rest>(key: Key, rest: Rest | undefined): (Key & Rest) | null =>
  rest === undefined ? null : { ...key, ...rest }
