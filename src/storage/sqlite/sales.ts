import { sumSold } from '../../lib/sold.ts'
import type { Sales, SoldItem } from '../port.ts'
import type { Access } from './access.ts'
import type { Database } from './database.ts'

export function createSales(db: Database, access: Access): Sales {
  const sumRollups = db.prepare<SoldItem>(
    `select item_id, sum(lines) as lines, sum(units) as units, sum(nanos) as nanos from sales_rollups
     where store_id = ? and width = ? and bucket >= ? and bucket <= ? group by item_id`,
    'bigint',
  )
  const soldTexts = db.prepare<{ sold: string | null }>(
    `select group_concat(sold, ';') as sold from orders indexed by orders_by_created
     where store_id = ? and created_at >= ? and created_at <= ? and sold <> ''`,
  )

  return {
    async sum(claim, { store_id, spans, edges }, known) {
      const { facts, found } = await access.read(
        { claim, store_id, version: 'orders_version', known },
        () => {
          const whole = spans.flatMap(({ width, first, last }) =>
            sumRollups.all(store_id, width, first, last).map(row => ({ ...row })),
          )
          const parts = edges.flatMap(({ from, to }) =>
            sumSold(soldTexts.get(store_id, from, to)?.sold ?? ''),
          )
          return [...whole, ...parts]
        },
      )
      return { facts, sold: found }
    },
  }
}
