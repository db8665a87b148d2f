import type { ItemRow, Numbered, OrderRow, RollupDelta, StoreRow } from '../../port/index.ts'
import type { NumberedChanges, ReceiptDelta } from '../../shared/sequence.ts'
import { textList } from '../connection/text-list.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { Value } from '../connection/values.ts'

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

export function writeItems(tx: Transaction, store_id: bigint, items: readonly Numbered<ItemRow>[]): void {
  if (items.length === 0) return
  const docs = textList(
    5,
    items.map(row => row.doc),
  )
  tx.send(
    `insert into items (store_id, id, updated_at, seq, doc)
     select $1, id, updated_at, seq, doc
     from unnest($2::bigint[], $3::bigint[], $4::bigint[], ${docs.sql}) as given (id, updated_at, seq, doc)
     on conflict (store_id, id) do update
     set updated_at = excluded.updated_at, seq = excluded.seq, doc = excluded.doc`,
    [
      store_id,
      items.map(row => row.id),
      items.map(row => row.updated_at),
      items.map(row => row.seq),
      docs.value,
    ],
  )
}

export function writeOrders(tx: Transaction, store_id: bigint, orders: NumberedChanges['orders']): void {
  const rowsOf = (which: (order: NumberedChanges['orders'][number]) => boolean) =>
    orders.filter(which).map(({ row }) => row)
  const changed = rowsOf(({ row, was_created_at }) => was_created_at === row.created_at)
  const added = rowsOf(({ row, was_created_at }) => was_created_at !== row.created_at)
  const moved = rowsOf(
    ({ row, was_created_at }) => was_created_at !== null && was_created_at !== row.created_at,
  )
  if (changed.length > 0) {
    const given = asTable(changed)
    tx.send(
      `update orders set updated_at = given.updated_at, paid_at = given.paid_at, subtotal = given.subtotal,
         seq = given.seq, sold = given.sold, doc = given.doc
       from ${given.sql}
       where orders.store_id = $1 and orders.created_at = given.created_at and orders.id = given.id`,
      [store_id, ...given.values],
    )
  }
  if (moved.length > 0) {
    tx.send('delete from orders where store_id = $1 and id = any ($2::text[])', [
      store_id,
      moved.map(row => row.id),
    ])
  }
  if (added.length > 0) {
    const given = asTable(added)
    tx.send(
      `insert into orders (store_id, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc)
       select $1, created_at, id, updated_at, paid_at, subtotal, seq, sold, doc from ${given.sql}`,
      [store_id, ...given.values],
    )
  }
}

/** The rows as a table `given`; its parameters begin at $2. */
function asTable(rows: readonly Numbered<OrderRow>[]): { sql: string; values: Value[] } {
  const ids = textList(
    3,
    rows.map(row => row.id),
  )
  const docs = textList(
    9,
    rows.map(row => row.doc),
  )
  return {
    // `sold` holds digits and colons only, so an array needs no escapes.
    sql: `unnest($2::bigint[], ${ids.sql}, $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[],
      ${docs.sql}) as given (created_at, id, updated_at, paid_at, subtotal, seq, sold, doc)`,
    values: [
      rows.map(row => row.created_at),
      ids.value,
      rows.map(row => row.updated_at),
      rows.map(row => row.paid_at),
      rows.map(row => row.subtotal),
      rows.map(row => row.seq),
      rows.map(row => row.sold),
      docs.value,
    ],
  }
}

export function writeRollups(tx: Transaction, store_id: bigint, deltas: readonly RollupDelta[]): void {
  if (deltas.length === 0) return
  // Summed first: one INSERT cannot update the same bucket twice.
  tx.send(
    `insert into sales_rollups (store_id, width, bucket, item_id, lines, units, nanos)
     select $1, width, bucket, item_id, sum(lines)::bigint, sum(units)::bigint, sum(nanos)::bigint
     from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       as given (width, bucket, item_id, lines, units, nanos)
     group by width, bucket, item_id
     on conflict (store_id, width, bucket, item_id) do update set
       lines = sales_rollups.lines + excluded.lines,
       units = sales_rollups.units + excluded.units,
       nanos = sales_rollups.nanos + excluded.nanos`,
    [
      ...bucketsOf(store_id, deltas),
      deltas.map(({ lines }) => lines),
      deltas.map(({ units }) => units),
      deltas.map(({ nanos }) => nanos),
    ],
  )
  const lowered = deltas.filter(({ lines }) => lines <= 0n)
  if (lowered.length === 0) return
  tx.send(
    `delete from sales_rollups as stored
     using unnest($2::bigint[], $3::bigint[], $4::bigint[]) as given (width, bucket, item_id)
     where stored.store_id = $1 and stored.width = given.width and stored.bucket = given.bucket
       and stored.item_id = given.item_id and stored.lines = 0`,
    bucketsOf(store_id, lowered),
  )
}

const bucketsOf = (store_id: bigint, deltas: readonly RollupDelta[]) => [
  store_id,
  deltas.map(({ width }) => width),
  deltas.map(({ bucket }) => bucket),
  deltas.map(({ item_id }) => item_id),
]

export function writeReceipts(tx: Transaction, store_id: bigint, deltas: readonly ReceiptDelta[]): void {
  if (deltas.length === 0) return
  const digest = [0, 1, 2, 3].map(part => `digest_${part}`)
  const summed = ['entities', 'subtotal', ...digest]
  tx.send(
    `insert into receipts (store_id, kind, day, ${summed.join(', ')}, seq)
     select $1, kind, day, ${summed.join(', ')}, seq
     from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::bigint[]) as given (kind, day, ${summed.join(', ')}, seq)
     on conflict (store_id, kind, day) do update set seq = excluded.seq,
       ${summed.map(name => `${name} = receipts.${name} + excluded.${name}`).join(', ')}`,
    [
      store_id,
      deltas.map(({ kind }) => kind),
      deltas.map(({ day }) => day),
      deltas.map(({ entities }) => entities),
      deltas.map(({ subtotal }) => subtotal),
      ...[0, 1, 2, 3].map(part => deltas.map(({ digest }) => digest[part] as number)),
      deltas.map(({ seq }) => seq),
    ],
  )
}
