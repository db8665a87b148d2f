import type { ExistingRows, ItemRow, OrderRow, RecordKeys, StoreRow } from '../../port/index.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import type { Transaction } from '../connection/transaction.ts'

/** Locks the stores in the order of their ids; returns the ids of those that exist. */
export async function lockStores(tx: Transaction, ids: readonly bigint[]): Promise<Set<bigint>> {
  const found = await Promise.all(
    ids.map(id => tx.query<{ id: bigint }>('select id from stores where id = $1 for update', [id])),
  )
  return new Set(found.flatMap(rows => rows.map(({ id }) => id)))
}

/** The rows of these keys. Every statement concerns one store; sent behind the locks, it sees what their former holder wrote. */
export async function readExisting(
  tx: Transaction,
  { store_ids, items, orders }: RecordKeys,
): Promise<ExistingRows> {
  const itemsOf = Map.groupBy(items, key => key.store_id)
  const ordersOf = Map.groupBy(orders, key => key.store_id)
  const [storeRows, itemRows, orderRows] = await Promise.all([
    Promise.all(
      sortedIds(store_ids).map(id =>
        tx.query<StoreRow>('select id, name, timezone, merchant, doc from stores where id = $1', [id]),
      ),
    ),
    Promise.all(
      [...itemsOf].map(([store_id, keys]) =>
        tx.query<ItemRow>(
          'select store_id, id, updated_at, doc from items where store_id = $1 and id = any ($2::bigint[])',
          [store_id, keys.map(key => key.id)],
        ),
      ),
    ),
    Promise.all(
      [...ordersOf].map(([store_id, keys]) =>
        tx.query<OrderRow>(
          `select store_id, id, created_at, updated_at, paid_at, sold, doc from orders
           where store_id = $1 and id = any ($2::text[])`,
          [store_id, keys.map(key => key.id)],
        ),
      ),
    ),
  ])
  return { stores: storeRows.flat(), items: itemRows.flat(), orders: orderRows.flat() }
}

/**
 * Locks the ids, so that no other batch creates these stores until the transaction ends. The query of the store, which
 * has no row, makes Citus take the lock on the store's worker: nodes may be connected to different servers.
 */
export async function reserveStores(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  await Promise.all(
    ids.map(id =>
      tx.query(
        `select pg_advisory_xact_lock($1)
         from (select count(*) as rows from stores where id = $1) as stored where stored.rows >= 0`,
        [id],
      ),
    ),
  )
}
