import type { ExistingRows, ItemRow, Numbered, OrderRow, RecordKeys, StoreRow } from '../../port/index.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import type { Transaction } from '../connection/transaction.ts'

/** What is locked: the newest seq of each store, and which of them exist. */
interface Locked {
  newest: Map<bigint, number>
  stored: Set<bigint>
}

/**
 * Locks the stores in the order of their ids. A store that the batch may create gets an empty row first, so that there
 * is something to lock: of two batches that create a store, one waits for the other.
 */
export async function lockStores(
  tx: Transaction,
  ids: readonly bigint[],
  new_ids: readonly bigint[],
): Promise<Locked> {
  const mayBeNew = new Set(new_ids)
  const found = await Promise.all(
    ids.map(id => {
      if (mayBeNew.has(id)) {
        tx.send(
          `insert into stores (id, name, timezone, doc) values ($1, '', '', '') on conflict (id) do nothing`,
          [id],
        )
      }
      return tx.query<{ id: bigint; seq: number; is_empty: boolean }>(
        "select id, seq, doc = '' as is_empty from stores where id = $1 for update",
        [id],
      )
    }),
  )
  const rows = found.flatMap(each => [...each])
  return {
    newest: new Map(rows.map(({ id, seq }) => [id, seq])),
    stored: new Set(rows.filter(({ is_empty }) => !is_empty).map(({ id }) => id)),
  }
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
        tx.query<StoreRow>(
          "select id, name, timezone, merchant, doc from stores where id = $1 and doc <> ''",
          [id],
        ),
      ),
    ),
    Promise.all(
      [...itemsOf].map(([store_id, keys]) =>
        tx.query<Numbered<ItemRow>>(
          'select store_id, id, updated_at, seq, doc from items where store_id = $1 and id = any ($2::bigint[])',
          [store_id, keys.map(key => key.id)],
        ),
      ),
    ),
    Promise.all(
      [...ordersOf].map(([store_id, keys]) =>
        tx.query<Numbered<OrderRow>>(
          `select store_id, id, created_at, updated_at, paid_at, subtotal, seq, sold, doc from orders
           where store_id = $1 and id = any ($2::text[])`,
          [store_id, keys.map(key => key.id)],
        ),
      ),
    ),
  ])
  return { stores: storeRows.flat(), items: itemRows.flat(), orders: orderRows.flat() }
}
