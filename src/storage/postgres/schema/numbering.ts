import type { ChangeKind } from '../../port/index.ts'
import type { Numbering, UnnumberedRow } from '../../shared/numbering.ts'
import type { Database } from '../connection/database.ts'
import { writeReceipts } from '../records/write.ts'

const foundSql: Record<ChangeKind, string> = {
  item: `select id, updated_at as time, 0 as subtotal from items
    where store_id = $1 and (updated_at, id) > ($2, $3::bigint) and seq = 0 order by updated_at, id limit $4`,
  order: `select id::text as order_id, created_at as time, coalesce((doc::json ->> 'subtotal')::bigint, 0) as subtotal
    from orders where store_id = $1 and (created_at, id) > ($2, $3) and seq = 0 order by created_at, id limit $4`,
}

/** Every statement names its store, so that a distributed table is numbered worker by worker. */
export function createNumbering(db: Database): Numbering {
  return {
    async unnumbered() {
      const items = await db.query<{ store_id: bigint }>('select distinct store_id from items where seq = 0')
      const orders = await db.query<{ store_id: bigint }>(
        'select distinct store_id from orders where seq = 0',
      )
      return [
        ...items.map(({ store_id }) => ({ store_id, kind: 'item' as const })),
        ...orders.map(({ store_id }) => ({ store_id, kind: 'order' as const })),
      ]
    },
    batch: (store_id, kind, after, limit, number) =>
      db.write(
        async tx => {
          const [store] = await tx.query<{ seq: number }>('select seq from stores where id = $1 for update', [
            store_id,
          ])
          const found = await tx.query<UnnumberedRow & { order_id?: string }>(foundSql[kind], [
            store_id,
            after.time,
            after.id,
            limit,
          ])
          const rows = found.map(row => ({ ...row, id: row.order_id ?? row.id }))
          const { ids, subtotals, first_seq, receipts } = number(rows, (store?.seq ?? 0) + 1)
          const seqs = ids.map((_, i) => first_seq + i)
          if (kind === 'item') {
            tx.send(
              `update items set seq = given.seq from unnest($2::bigint[], $3::bigint[]) as given (id, seq)
               where items.store_id = $1 and items.id = given.id`,
              [store_id, ids, seqs],
            )
          } else {
            tx.send(
              `update orders set seq = given.seq, subtotal = given.subtotal
               from unnest($2::text[], $3::bigint[], $4::bigint[]) as given (id, seq, subtotal)
               where orders.store_id = $1 and orders.id = given.id`,
              [store_id, ids, seqs, subtotals],
            )
          }
          writeReceipts(tx, receipts, false)
          tx.send('update stores set seq = $2 where id = $1', [store_id, first_seq + ids.length - 1])
          return rows
        },
        { unlimited: true },
      ),
  }
}
