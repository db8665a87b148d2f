import type { ReceiptDelta } from '../../shared/sequence.ts'
import type { Database } from '../connection/database.ts'

/** Adds to the rows of `receipts`, within the caller's transaction. */
export function prepareReceipts(db: Database): (deltas: readonly ReceiptDelta[]) => void {
  const add = db.prepare(
    `insert into receipts
       (store_id, kind, day, entities, subtotal, digest_0, digest_1, digest_2, digest_3, seq)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (store_id, kind, day) do update set
       entities = entities + excluded.entities, subtotal = subtotal + excluded.subtotal,
       digest_0 = digest_0 + excluded.digest_0, digest_1 = digest_1 + excluded.digest_1,
       digest_2 = digest_2 + excluded.digest_2, digest_3 = digest_3 + excluded.digest_3, seq = excluded.seq`,
  )
  return deltas => {
    for (const { store_id, kind, day, entities, subtotal, digest, seq } of deltas)
      add.run(store_id, kind, day, entities, subtotal, ...digest, seq)
  }
}
