import type { RecordChanges, Records, StoreRow } from '../../port/index.ts'
import { sortedIds, storesOf } from '../../shared/record-keys.ts'
import { type NumberedChanges, Sequences } from '../../shared/sequence.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { endConsents } from './consents.ts'
import { lockStores, readExisting } from './read.ts'
import { moveStores, writeItems, writeOrders, writeReceipts, writeRollups, writeStore } from './write.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { StoreLimits } from './store-limits.ts'

/**
 * Two round trips for a batch: BEGIN with the locks and reads, then the writes with COMMIT; one more for each further
 * part. A statement serves all stores of a batch, because it costs more than a row; on Citus it serves one store.
 */
export function createRecords(db: Database, limits: StoreLimits): Records {
  return {
    write(keys, decide) {
      const { new_store_ids = [] } = keys
      const ids = storesOf(keys)
      const together = ids.length > 1 && !db.citus
      return limits.run(ids, () =>
        db.write(
          async tx => {
            const [{ newest, stored }, existing] = await Promise.all([
              lockStores(tx, ids, new_store_ids, together),
              readExisting(tx, keys, together),
            ])
            const sequences = new Sequences(newest)
            const changes = decide(existing, stored)
            await endConsents(tx, existing, changes)
            apply(tx, changes, sequences.number(existing, changes), together)
            for (let part = changes.next; part; ) {
              const rows = await readExisting(tx, part.keys, together)
              const more = part.decide(rows)
              await endConsents(tx, rows, more)
              apply(tx, more, sequences.number(rows, more), together)
              part = more.next
            }
            moveStores(tx, sequences.moves, together)
            return { changes, moves: sequences.moves }
          },
          // An empty row for a new store is a write, which must not run without its transaction.
          { pipelined: new_store_ids.length === 0, planned: together },
        ),
      )
    },
  }
}

function apply(
  tx: Transaction,
  { stores, rollups, audit = [] }: RecordChanges,
  { items, orders, receipts }: NumberedChanges,
  together: boolean,
): void {
  const storeOf = new Map(stores.map(row => [row.id, row]))
  for (const id of sortedIds(storeOf.keys())) writeStore(tx, storeOf.get(id) as StoreRow)
  writeItems(tx, items, together)
  writeOrders(tx, orders, together)
  writeRollups(tx, rollups, together)
  writeReceipts(tx, receipts, together)
  for (const entry of audit) writeAudit(tx, entry)
}
