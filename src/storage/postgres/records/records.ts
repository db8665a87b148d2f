import type { ExistingRows, RecordChanges, RecordKeys, Records } from '../../port/index.ts'
import { sortedIds, storesOf } from '../../shared/record-keys.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { lockStores, readExisting, reserveStores } from './read.ts'
import { writeItems, writeOrders, writeRollups, writeStore } from './write.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { StoreLimits } from './store-limits.ts'

/**
 * Two round trips for a batch: BEGIN with the locks and reads, then the writes with COMMIT; one more for each further
 * part. Every statement concerns one store, so Citus sends it to one worker. Stores are locked in the order of their
 * ids, so batches never deadlock.
 */
export function createRecords(db: Database, limits: StoreLimits): Records {
  const run = <T extends RecordChanges>(
    keys: RecordKeys,
    decide: (existing: ExistingRows, stored: ReadonlySet<bigint>) => T,
    reserved: readonly bigint[] | null,
  ) =>
    db.write(
      async tx => {
        if (reserved) await reserveStores(tx, reserved)
        const ids = storesOf(keys)
        const [stored, existing] = await Promise.all([lockStores(tx, ids), readExisting(tx, keys)])
        const missing = ids.filter(id => !stored.has(id))
        if (missing.length > 0 && !reserved) throw new NewStores(missing)
        const changes = decide(existing, stored)
        apply(tx, changes)
        for (let part = changes.next; part; ) {
          const more = part.decide(await readExisting(tx, part.keys))
          apply(tx, more)
          part = more.next
        }
        return changes
      },
      { pipelined: true },
    )

  return {
    write: (keys, decide) =>
      limits.run(storesOf(keys), async () => {
        try {
          return await run(keys, decide, null)
        } catch (error) {
          if (!(error instanceof NewStores)) throw error
          return run(keys, decide, error.ids)
        }
      }),
  }
}

/**
 * New stores have no row to lock, so the batch starts again and locks their ids first. A batch that held row locks
 * while it waited for an id could deadlock with another.
 */
class NewStores extends Error {
  readonly ids: readonly bigint[]

  constructor(ids: readonly bigint[]) {
    super(`no store has the id ${ids.join(', ')} yet`)
    this.ids = ids
  }
}

function apply(tx: Transaction, changes: RecordChanges): void {
  const { stores, items, orders, rollups, least_version = 0, audit = [] } = changes
  const storeOf = new Map(stores.map(row => [row.id, row]))
  const itemsOf = Map.groupBy(items, row => row.store_id)
  const ordersOf = Map.groupBy(orders, ({ row }) => row.store_id)
  const rollupsOf = Map.groupBy(rollups, delta => delta.store_id)
  const ids = [storeOf, itemsOf, ordersOf, rollupsOf].flatMap(map => [...map.keys()])
  for (const id of sortedIds(ids)) {
    const store = storeOf.get(id)
    const ordersHere = ordersOf.get(id) ?? []
    const itemsHere = itemsOf.get(id) ?? []
    if (store) writeStore(tx, store)
    if (itemsHere.length > 0) writeItems(tx, id, itemsHere)
    if (ordersHere.length > 0) writeOrders(tx, id, ordersHere)
    writeRollups(tx, id, rollupsOf.get(id) ?? [])
    if (ordersHere.length > 0 || itemsHere.length > 0) {
      tx.send(
        `update stores set
           orders_version = case when $2 then greatest(orders_version + 1, $4::bigint) else orders_version end,
           items_version = case when $3 then greatest(items_version + 1, $4::bigint) else items_version end
         where id = $1`,
        [id, ordersHere.length > 0, itemsHere.length > 0, least_version],
      )
    }
  }
  for (const entry of audit) writeAudit(tx, entry)
}
