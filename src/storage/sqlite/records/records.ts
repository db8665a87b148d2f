import type {
  ExistingRows,
  ItemRow,
  Numbered,
  OrderRow,
  RecordChanges,
  RecordKeys,
  Records,
  StoreRow,
} from '../../port/index.ts'
import { storesOf } from '../../shared/record-keys.ts'
import { type NumberedChanges, Sequences } from '../../shared/sequence.ts'
import { changesOf } from '../../shared/webhooks.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import type { RecordAuthorizationChanges } from '../webhooks/outbox.ts'
import { prepareReceipts } from './receipts.ts'

type StoredOrder = Omit<Numbered<OrderRow>, 'store_id' | 'id'>
type StoredItem = Omit<Numbered<ItemRow>, 'store_id' | 'id'>
type StoredStore = Omit<StoreRow, 'id'>

export function createRecords(
  db: Database,
  writeAudit: WriteAudit,
  recordAuthorizations: RecordAuthorizationChanges,
): Records {
  const read = prepareRead(db)
  const newestOf = db.prepare<[seq: number]>('select seq from stores where id = ?', 'number', 'tuples')
  const writeStore = prepareStoreWrite(db)
  const writeOrder = prepareOrderWrite(db)
  const upsertItem = db.prepare(
    `insert into items (store_id, id, updated_at, seq, doc) values (?, ?, ?, ?, ?)
     on conflict (store_id, id) do update
     set updated_at = excluded.updated_at, seq = excluded.seq, doc = excluded.doc`,
  )
  const addRollup = db.prepare(
    `insert into sales_rollups (store_id, width, bucket, item_id, lines, units, nanos) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (store_id, width, bucket, item_id) do update
     set lines = lines + excluded.lines, units = units + excluded.units, nanos = nanos + excluded.nanos`,
  )
  const dropEmptyRollup = db.prepare(
    'delete from sales_rollups where store_id = ? and width = ? and bucket = ? and item_id = ? and lines = 0',
  )
  const addReceipts = prepareReceipts(db)
  const move = db.prepare(
    `update stores set seq = ?, orders_version = coalesce(?, orders_version),
       items_version = coalesce(?, items_version) where id = ?`,
  )

  function apply(
    { stores, rollups, least_seq = 0, audit = [] }: RecordChanges,
    { items, orders, receipts }: NumberedChanges,
  ): void {
    const unlinked = stores.flatMap(writeStore)
    // A seq begins with the time of its change.
    recordAuthorizations(changesOf(unlinked), least_seq / 1000)
    for (const { store_id, id, updated_at, seq, doc } of items)
      upsertItem.run(store_id, id, updated_at, seq, doc)
    for (const { row, was_created_at } of orders) writeOrder(row, was_created_at)
    for (const { store_id, width, bucket, item_id, lines, units, nanos } of rollups) {
      addRollup.run(store_id, width, bucket, item_id, lines, units, nanos)
      if (lines <= 0n) dropEmptyRollup.run(store_id, width, bucket, item_id)
    }
    addReceipts(receipts)
    for (const entry of audit) writeAudit(entry)
  }

  /** The newest seq of each store of the keys that exists. */
  const newestSeqs = (keys: RecordKeys): Map<bigint, number> =>
    new Map(
      storesOf(keys).flatMap(id => {
        const row = newestOf.get(id)
        return row ? [[id, row[0]] as const] : []
      }),
    )

  return {
    write: (keys, decide) =>
      db.write(() => {
        const newest = newestSeqs(keys)
        const existing = read(keys)
        const changes = decide(existing, new Set(newest.keys()))
        const sequences = new Sequences(newest)
        apply(changes, sequences.number(existing, changes))
        for (let part = changes.next; part; ) {
          const rows = read(part.keys)
          const more = part.decide(rows)
          apply(more, sequences.number(rows, more))
          part = more.next
        }
        for (const { store_id, seq, orders_seq, items_seq } of sequences.moves)
          move.run(seq, orders_seq, items_seq, store_id)
        return { changes, moves: sequences.moves }
      }),
  }
}

function prepareRead(db: Database): (keys: RecordKeys) => ExistingRows {
  const store = db.prepare<StoredStore>('select name, timezone, merchant, doc from stores where id = ?')
  const item = db.prepare<StoredItem>('select updated_at, seq, doc from items where store_id = ? and id = ?')
  const order = db.prepare<StoredOrder>(
    'select created_at, updated_at, paid_at, subtotal, seq, sold, doc from orders where store_id = ? and id = ?',
  )
  return ({ store_ids, items, orders }) => ({
    stores: found(store_ids, id => spread({ id }, store.get(id))),
    items: found(items, ({ store_id, id }) => spread({ store_id, id }, item.get(store_id, id))),
    orders: found(orders, ({ store_id, id }) => spread({ store_id, id }, order.get(store_id, id))),
  })
}

/** Returns the authorizations that end for the store because its merchant changes. */
function prepareStoreWrite(
  db: Database,
): (store: StoreRow) => { authorization_id: string; store_id: bigint }[] {
  const upsert = db.prepare(
    `insert into stores (id, name, timezone, merchant, doc) values (?, ?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, timezone = excluded.timezone,
       merchant = excluded.merchant, doc = excluded.doc`,
  )
  // The operator's own links (account_id null) stay when the merchant changes.
  const dropConsents = db.prepare<{ authorization_id: string }>(
    `delete from authorization_stores
     where store_id = ?1 and exists (select 1 from stores where id = ?1 and merchant is not ?2)
       and exists (select 1 from authorizations
         where id = authorization_stores.authorization_id and account_id is not null)
     returning authorization_id`,
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
    const dropped = dropConsents.all(id, merchant)
    dropReads.run(id, merchant)
    dropActivations.run(id, merchant)
    upsert.run(id, name, timezone, merchant, doc)
    return dropped.map(({ authorization_id }) => ({ authorization_id, store_id: id }))
  }
}

function prepareOrderWrite(db: Database): (row: Numbered<OrderRow>, was_created_at: number | null) => void {
  const insert = db.prepare(
    `insert into orders (store_id, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `update orders set updated_at = ?, paid_at = ?, subtotal = ?, seq = ?, sold = ?, doc = ?
     where store_id = ? and created_at = ? and id = ?`,
  )
  const remove = db.prepare('delete from orders where store_id = ? and created_at = ? and id = ?')

  return ({ store_id, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc }, was_created_at) => {
    if (was_created_at === created_at) {
      update.run(updated_at, paid_at, subtotal, seq, sold, doc, store_id, created_at, id)
      return
    }
    if (was_created_at !== null) remove.run(store_id, was_created_at, id)
    insert.run(store_id, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc)
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
