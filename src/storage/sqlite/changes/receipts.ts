import type { Changes } from '../../port/index.ts'
import { noEntities, receiptOf, type ReceiptRow } from '../../shared/receipt.ts'
import { type Access, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'

export function createReceipts(
  db: Database,
  access: Access,
  history: () => string,
): Pick<Changes, 'receipts'> {
  const select = db.prepare<ReceiptRow>(
    `select day, entities, subtotal, digest_0, digest_1, digest_2, digest_3 from receipts
     where store_id = ? and kind = ? and day between ? and ? and entities > 0 order by day`,
    'bigint',
  )

  return {
    receipts: ({ claim, query: { store_id, first_day, last_day } }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, store_id)
        if (!mayReadStore(facts)) return { facts, history: history(), receipts: null }
        const days = select.all(store_id, 'order', first_day, last_day)
        const [items] = select.all(store_id, 'item', 0, 0)
        return {
          facts,
          history: history(),
          receipts: {
            days: days.map(row => ({ day: row.day, ...receiptOf(row) })),
            items: items ? receiptOf(items) : noEntities,
          },
        }
      }),
  }
}
