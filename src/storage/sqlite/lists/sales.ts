import { type Sold, sumSold } from '../../../lib/sold.ts'
import type { BucketSpan, Sales, StoreFacts } from '../../port/index.ts'
import type { Access } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'

/** The most spans that `cover` cuts a window into: one of the widest buckets, two of each narrower width. */
const mostSpans = 5

const noSpan: BucketSpan = { width: 0, first: 0, last: 0 }

export function createSales(db: Database, access: Access): Sales {
  const span = `select item_id, lines, units, nanos from sales_rollups
    where store_id = ? and width = ? and bucket >= ? and bucket <= ?`
  // One statement for all spans: SQLite adds them up and returns one row for each item.
  const sumRollups = db.prepare<[item_id: bigint, lines: bigint, units: bigint, nanos: bigint]>(
    `select item_id, sum(lines), sum(units), sum(nanos)
     from (${Array(mostSpans).fill(span).join(' union all ')}) group by item_id`,
    'bigint',
    'tuples',
  )
  const soldTexts = db.prepare<[sold: string | null]>(
    `select group_concat(sold, ';') from orders indexed by orders_by_created
     where store_id = ? and created_at >= ? and created_at <= ? and sold <> ''`,
    'number',
    'tuples',
  )

  function sumSpans(store_id: bigint, spans: readonly BucketSpan[]): Sold[] {
    if (spans.length > mostSpans) throw new Error(`${spans.length} spans are more than ${mostSpans}`)
    const values = Array.from({ length: mostSpans }, (_, i) => spans[i] ?? noSpan)
    return sumRollups
      .all(...values.flatMap(({ width, first, last }) => [store_id, width, first, last]))
      .map(([item_id, lines, units, nanos]) => ({ item_id, lines, units, nanos }))
  }

  return {
    async sum({ claim, query: { store_id, spans, edges }, unless_version: known = null }) {
      const asked = { claim, store_id, version: (store: StoreFacts) => store.orders_version, known }
      const { facts, found } = await access.read(asked, () => {
        const texts = edges.flatMap(({ from, to }) => soldTexts.get(store_id, from, to)?.[0] ?? [])
        return [...(spans.length > 0 ? sumSpans(store_id, spans) : []), ...sumSold(texts.join(';'))]
      })
      return { facts, sold: found }
    },
  }
}
