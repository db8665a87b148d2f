import type { RecordChanges, Records, SequenceMove } from '../../port/index.ts'
import { sortedIds, storesOf } from '../../shared/record-keys.ts'
import { type NumberedChanges, Sequences } from '../../shared/sequence.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { endConsents } from './consents.ts'
import { lockStores, readExisting } from './read.ts'
import { writeItems, writeOrders, writeReceipts, writeRollups, writeStore } from './write.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { StoreLimits } from './store-limits.ts'

/**
 * Two round trips for a batch: BEGIN with the locks and reads, then the writes with COMMIT; one more for each further
 * part. Every statement concerns one store, so Citus sends it to one worker. Stores are locked in the order of their
 * ids, so batches never deadlock.
 */
export function createRecords(db: Database, limits: StoreLimits): Records {
  return {
    write(keys, decide) {
      const { new_store_ids = [] } = keys
      const ids = storesOf(keys)
      return limits.run(ids, () =>
        db.write(
          async tx => {
            const [{ newest, stored }, existing] = await Promise.all([
              lockStores(tx, ids, new_store_ids),
              readExisting(tx, keys),
            ])
            const sequences = new Sequences(newest)
            const changes = decide(existing, stored)
            await endConsents(tx, existing, changes)
            apply(tx, changes, sequences.number(existing, changes))
            for (let part = changes.next; part; ) {
              const rows = await readExisting(tx, part.keys)
              const more = part.decide(rows)
              await endConsents(tx, rows, more)
              apply(tx, more, sequences.number(rows, more))
              part = more.next
            }
            for (const move of sequences.moves) moveStore(tx, move)
            return { changes, moves: sequences.moves }
          },
          // An empty row for a new store is a write, which must not run without its transaction.
          { pipelined: new_store_ids.length === 0 },
        ),
      )
    },
  }
}

function apply(
  tx: Transaction,
  { stores, rollups, audit = [] }: RecordChanges,
  { items, orders, receipts }: NumberedChanges,
): void {
  const storeOf = new Map(stores.map(row => [row.id, row]))
  const itemsOf = Map.groupBy(items, row => row.store_id)
  const ordersOf = Map.groupBy(orders, ({ row }) => row.store_id)
  const rollupsOf = Map.groupBy(rollups, delta => delta.store_id)
  const receiptsOf = Map.groupBy(receipts, delta => delta.store_id)
  const ids = [storeOf, itemsOf, ordersOf, rollupsOf].flatMap(map => [...map.keys()])
  for (const id of sortedIds(ids)) {
    const store = storeOf.get(id)
    if (store) writeStore(tx, store)
    writeItems(tx, id, itemsOf.get(id) ?? [])
    writeOrders(tx, id, ordersOf.get(id) ?? [])
    writeRollups(tx, id, rollupsOf.get(id) ?? [])
    writeReceipts(tx, id, receiptsOf.get(id) ?? [])
  }
  for (const entry of audit) writeAudit(tx, entry)
}

function moveStore(tx: Transaction, { store_id, seq, orders_seq, items_seq }: SequenceMove): void {
  tx.send(
    `update stores set seq = $2, orders_version = coalesce($3, orders_version),
       items_version = coalesce($4, items_version) where id = $1`,
    [store_id, seq, orders_seq, items_seq],
  )
}
