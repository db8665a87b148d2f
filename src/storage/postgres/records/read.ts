import type { ExistingRows, ItemRow, Numbered, OrderRow, RecordKeys, StoreRow } from '../../port/index.ts'
import type { Rows } from '../connection/connection.ts'
import { sortedIds } from '../../shared/record-keys.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { Value } from '../connection/values.ts'

/** What is locked: the newest seq of each store, and which of them exist. */
interface Locked {
  newest: Map<bigint, number>
  stored: Set<bigint>
}

/**
 * Locks the stores in the order of their ids. A store that the batch may create gets an empty row first, so that there is
 * something to lock: of two batches that create a store, one waits for the other. Batches never deadlock: the empty rows
 * come in the same order, and who holds a lock waits for none of them, because it does not see them.
 */
export async function lockStores(
  tx: Transaction,
  ids: readonly bigint[],
  new_ids: readonly bigint[],
  together: boolean,
): Promise<Locked> {
  const found = together ? [await lockAll(tx, ids, new_ids)] : await lockEach(tx, ids, new_ids)
  const rows = found.flatMap(each => [...each])
  return {
    newest: new Map(rows.map(({ id, seq }) => [id, seq])),
    stored: new Set(rows.filter(({ is_empty }) => !is_empty).map(({ id }) => id)),
  }
}

interface LockedRow {
  id: bigint
  seq: number
  is_empty: boolean
}

function lockAll(
  tx: Transaction,
  ids: readonly bigint[],
  new_ids: readonly bigint[],
): Promise<Rows<LockedRow>> {
  if (new_ids.length > 0) {
    tx.send(
      `insert into stores (id, name, timezone, doc) select id, '', '', '' from unnest($1::bigint[]) as id
       on conflict (id) do nothing`,
      [sortedIds(new_ids)],
    )
  }
  return tx.query(
    `select id, seq, doc = '' as is_empty from stores where id = any ($1::bigint[]) order by id for update`,
    [ids],
  )
}

/** The same by a statement for each store. */
function lockEach(
  tx: Transaction,
  ids: readonly bigint[],
  new_ids: readonly bigint[],
): Promise<Rows<LockedRow>[]> {
  const mayBeNew = new Set(new_ids)
  return Promise.all(
    ids.map(id => {
      if (mayBeNew.has(id)) {
        tx.send(
          `insert into stores (id, name, timezone, doc) values ($1, '', '', '') on conflict (id) do nothing`,
          [id],
        )
      }
      return tx.query<LockedRow>(
        "select id, seq, doc = '' as is_empty from stores where id = $1 for update",
        [id],
      )
    }),
  )
}

/** The rows of these keys. Sent behind the locks, the statements see what their former holder wrote. */
export async function readExisting(
  tx: Transaction,
  { store_ids, items, orders }: RecordKeys,
  together: boolean,
): Promise<ExistingRows> {
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
      byKeys('select store_id, id, updated_at, seq, doc from items', 'bigint', items, together).map(
        ([sql, values]) => tx.query<Numbered<ItemRow>>(sql, values),
      ),
    ),
    Promise.all(
      byKeys(
        'select store_id, id, created_at, updated_at, paid_at, subtotal, seq, sold, doc from orders',
        'text',
        orders,
        together,
      ).map(([sql, values]) => tx.query<Numbered<OrderRow>>(sql, values)),
    ),
  ])
  return { stores: storeRows.flat(), items: itemRows.flat(), orders: orderRows.flat() }
}

/** The statement for the rows of these keys, or those for each store. */
function byKeys(
  select: string,
  type: 'bigint' | 'text',
  keys: readonly { store_id: bigint; id: bigint | string }[],
  together: boolean,
): [sql: string, values: Value[]][] {
  if (keys.length === 0) return []
  if (together) {
    const sql = `${select} join unnest($1::bigint[], $2::${type}[]) as given (store_id, id) using (store_id, id)`
    return [[sql, [keys.map(key => key.store_id), keys.map(key => key.id)]]]
  }
  const sql = `${select} where store_id = $1 and id = any ($2::${type}[])`
  return [...Map.groupBy(keys, key => key.store_id)].map(([store_id, own]) => [
    sql,
    [store_id, own.map(key => key.id)],
  ])
}
