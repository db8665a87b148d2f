import type { ItemRow, Numbered, RollupDelta, SequenceMove, StoreRow } from '../../port/index.ts'
import type { NumberedChanges, ReceiptDelta } from '../../shared/sequence.ts'
import type { Transaction } from '../connection/transaction.ts'
import { given } from './given.ts'

const merchantChanges = `exists (select 1 from stores
  where id = $1 and merchant is not null and merchant is distinct from $2::text)`

export function writeStore(tx: Transaction, { id, name, timezone, merchant, doc }: StoreRow): void {
  // The new merchant must not see what happened under the former one.
  tx.send(`delete from usage_reads where store_id = $1 and ${merchantChanges}`, [id, merchant])
  tx.send(
    `delete from activations where store_id = $1 and ${merchantChanges}
       and app_id not in (select app_id from authorization_stores where store_id = $1)`,
    [id, merchant],
  )
  tx.send(
    `insert into stores (id, name, timezone, merchant, doc) values ($1, $2, $3, $4, $5)
     on conflict (id) do update set name = excluded.name, timezone = excluded.timezone,
       merchant = excluded.merchant, doc = excluded.doc`,
    [id, name, timezone, merchant, doc],
  )
}

export function writeItems(tx: Transaction, items: readonly Numbered<ItemRow>[], together: boolean): void {
  const columns = { id: 'bigint', updated_at: 'bigint', seq: 'bigint', doc: 'text' } as const
  for (const { sql, store, values } of given(items, columns, together)) {
    tx.send(
      `insert into items (store_id, id, updated_at, seq, doc)
       select ${store}, id, updated_at, seq, doc from ${sql}
       on conflict (store_id, id) do update
       set updated_at = excluded.updated_at, seq = excluded.seq, doc = excluded.doc`,
      values,
    )
  }
}

const orderColumns = {
  created_at: 'bigint',
  id: 'text',
  updated_at: 'bigint',
  paid_at: 'bigint',
  subtotal: 'bigint',
  seq: 'bigint',
  sold: 'text',
  doc: 'text',
} as const

export function writeOrders(tx: Transaction, orders: NumberedChanges['orders'], together: boolean): void {
  const rowsOf = (which: (order: NumberedChanges['orders'][number]) => boolean) =>
    orders.filter(which).map(({ row }) => row)
  const changed = rowsOf(({ row, was_created_at }) => was_created_at === row.created_at)
  const added = rowsOf(({ row, was_created_at }) => was_created_at !== row.created_at)
  const moved = rowsOf(
    ({ row, was_created_at }) => was_created_at !== null && was_created_at !== row.created_at,
  )
  for (const { sql, store, values } of given(changed, orderColumns, together)) {
    tx.send(
      `update orders set updated_at = given.updated_at, paid_at = given.paid_at, subtotal = given.subtotal,
         seq = given.seq, sold = given.sold, doc = given.doc
       from ${sql}
       where orders.store_id = ${store} and orders.created_at = given.created_at and orders.id = given.id`,
      values,
    )
  }
  for (const { sql, store, values } of given(moved, { id: 'text' }, together)) {
    tx.send(
      `delete from orders using ${sql} where orders.store_id = ${store} and orders.id = given.id`,
      values,
    )
  }
  for (const { sql, store, values } of given(added, orderColumns, together)) {
    tx.send(
      `insert into orders (store_id, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc)
       select ${store}, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc from ${sql}`,
      values,
    )
  }
}

export function writeRollups(tx: Transaction, deltas: readonly RollupDelta[], together: boolean): void {
  const key = { width: 'bigint', bucket: 'bigint', item_id: 'bigint' } as const
  const columns = { ...key, lines: 'bigint', units: 'bigint', nanos: 'bigint' } as const
  for (const { sql, store, values } of given(deltas, columns, together)) {
    // Summed first: one INSERT cannot update the same bucket twice.
    tx.send(
      `insert into sales_rollups (store_id, width, bucket, item_id, lines, units, nanos)
       select ${store}, width, bucket, item_id, sum(lines)::bigint, sum(units)::bigint, sum(nanos)::bigint
       from ${sql}
       group by 1, 2, 3, 4
       on conflict (store_id, width, bucket, item_id) do update set
         lines = sales_rollups.lines + excluded.lines,
         units = sales_rollups.units + excluded.units,
         nanos = sales_rollups.nanos + excluded.nanos`,
      values,
    )
  }
  const lowered = deltas.filter(({ lines }) => lines <= 0n)
  for (const { sql, store, values } of given(lowered, key, together)) {
    tx.send(
      `delete from sales_rollups as stored using ${sql}
       where stored.store_id = ${store} and stored.width = given.width and stored.bucket = given.bucket
         and stored.item_id = given.item_id and stored.lines = 0`,
      values,
    )
  }
}

const summedColumns = {
  entities: 'bigint',
  subtotal: 'bigint',
  digest_0: 'bigint',
  digest_1: 'bigint',
  digest_2: 'bigint',
  digest_3: 'bigint',
} as const
const summed = Object.keys(summedColumns)
const receiptColumns = { kind: 'text', day: 'bigint', ...summedColumns, seq: 'bigint' } as const

export function writeReceipts(tx: Transaction, deltas: readonly ReceiptDelta[], together: boolean): void {
  const rows = deltas.map(({ digest: [digest_0, digest_1, digest_2, digest_3], ...row }) => ({
    ...row,
    digest_0,
    digest_1,
    digest_2,
    digest_3,
  }))
  for (const { sql, store, values } of given(rows, receiptColumns, together)) {
    tx.send(
      `insert into receipts (store_id, kind, day, ${summed.join(', ')}, seq)
       select ${store}, kind, day, ${summed.join(', ')}, seq from ${sql}
       on conflict (store_id, kind, day) do update set seq = excluded.seq,
         ${summed.map(name => `${name} = receipts.${name} + excluded.${name}`).join(', ')}`,
      values,
    )
  }
}

export function moveStores(tx: Transaction, moves: readonly SequenceMove[], together: boolean): void {
  const columns = { seq: 'bigint', orders_seq: 'bigint', items_seq: 'bigint' } as const
  for (const { sql, store, values } of given(moves, columns, together)) {
    tx.send(
      `update stores set seq = given.seq, orders_version = coalesce(given.orders_seq, orders_version),
         items_version = coalesce(given.items_seq, items_version)
       from ${sql} where stores.id = ${store}`,
      values,
    )
  }
}
