import type { ExistingRows, ItemRow, OrderRow, RecordKeys, StoreRow } from '../../port/index.ts'
import type { Transaction } from '../connection/transaction.ts'

/**
 * Locks the stores of the batch and reads its rows, in one round trip: a statement after the lock starts once the lock
 * is held, and sees what the former holder wrote. Returns also the ids of the stores that do not exist.
 */
export async function readExisting(
  tx: Transaction,
  { store_ids, items, orders }: RecordKeys,
): Promise<{ existing: ExistingRows; missing: bigint[] }> {
  const itemsOf = Map.groupBy(items, key => key.store_id)
  const ordersOf = Map.groupBy(orders, key => key.store_id)
  const ids = storesOf({ store_ids, items, orders })
  const stores = await Promise.all(
    ids
      .map(id => ({ id, keys: { items: itemsOf.get(id) ?? [], orders: ordersOf.get(id) ?? [] } }))
      .map(({ id, keys }) =>
        Promise.all([
          tx.query<StoreRow>(
            'select id, name, timezone, merchant, doc from stores where id = $1 for update',
            [id],
          ),
          keys.items.length > 0
            ? tx.query<ItemRow>(
                'select store_id, id, updated_at, doc from items where store_id = $1 and id = any ($2::bigint[])',
                [id, keys.items.map(key => key.id)],
              )
            : [],
          keys.orders.length > 0
            ? tx.query<OrderRow>(
                `select store_id, id, created_at, updated_at, paid_at, sold, doc from orders
                 where store_id = $1 and id = any ($2::text[])`,
                [id, keys.orders.map(key => key.id)],
              )
            : [],
        ]),
      ),
  )
  const requested = new Set(store_ids)
  const found = stores.flatMap(([rows]) => rows)
  const existing = new Set(found.map(({ id }) => id))
  return {
    existing: {
      stores: found.filter(({ id }) => requested.has(id)),
      items: stores.flatMap(([, rows]) => rows),
      orders: stores.flatMap(([, , rows]) => rows),
    },
    missing: ids.filter(id => !existing.has(id)),
  }
}

/** Locks the ids, so that no other batch creates these stores until the transaction ends. */
export async function reserveStores(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(id) from unnest($1::bigint[]) as id', [ids])
}

/** The ids of all stores in a batch. */
export const storesOf = ({ store_ids, items, orders }: RecordKeys): bigint[] =>
  sortedIds([...store_ids, ...items.map(key => key.store_id), ...orders.map(key => key.store_id)])

/** Unique, and in the order in which every transaction locks stores. */
export const sortedIds = (ids: Iterable<bigint>): bigint[] =>
  [...new Set(ids)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
