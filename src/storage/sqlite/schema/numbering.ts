import type { ChangeKind } from '../../port/index.ts'
import type { Numbering, UnnumberedRow } from '../../shared/numbering.ts'
import type { Database } from '../connection/database.ts'
import { prepareReceipts } from '../records/receipts.ts'

export function createNumbering(db: Database): Numbering {
  const stores = db.prepare<{ store_id: bigint; kind: ChangeKind }>(
    `select distinct store_id, 'item' as kind from items where seq = 0
     union all select distinct store_id, 'order' from orders where seq = 0`,
    'bigint',
  )
  const found = {
    item: db.prepare<UnnumberedRow>(
      `select id, updated_at as time, 0 as subtotal from items
       where store_id = ? and (updated_at, id) > (?, ?) and seq = 0 order by updated_at, id limit ?`,
      'bigint',
    ),
    order: db.prepare<UnnumberedRow>(
      `select id, created_at as time, coalesce(json_extract(doc, '$.subtotal'), 0) as subtotal from orders
       where store_id = ? and (created_at, id) > (?, ?) and seq = 0 order by created_at, id limit ?`,
    ),
  }
  const newest = db.prepare<[seq: number]>('select seq from stores where id = ?', 'number', 'tuples')
  const numberItem = db.prepare('update items set seq = ? where store_id = ? and id = ?')
  const numberOrder = db.prepare('update orders set seq = ?, subtotal = ? where store_id = ? and id = ?')
  const move = db.prepare('update stores set seq = ? where id = ?')
  const addReceipts = prepareReceipts(db)

  return {
    unnumbered: () => db.snapshot(() => stores.all()),
    batch: (store_id, kind, after, limit, number) =>
      db.write(() => {
        const rows = found[kind].all(store_id, after.time, after.id, limit)
        const [seq] = newest.get(store_id) as [number]
        const { ids, subtotals, first_seq, receipts } = number(rows, seq + 1)
        ids.forEach((id, i) => {
          if (kind === 'item') numberItem.run(first_seq + i, store_id, id)
          else numberOrder.run(first_seq + i, subtotals[i] as number, store_id, id)
        })
        addReceipts(receipts)
        move.run(first_seq + ids.length - 1, store_id)
        return rows
      }),
  }
}
