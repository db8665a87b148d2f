import { decodeSold, sumSold } from '../../lib/sold.ts'
import type { Sales } from '../port.ts'
import { claimValues, readFacts, storeFacts } from './access.ts'
import type { Database } from './database.ts'

/**
 * $4 store, $5 known version, then the spans as lists of width, first and last, and the edges as lists of both ends.
 * Both sums leave as text in the form of lib/sold.ts. The aggregates inside LATERAL make PostgreSQL look up one span
 * after the other in the index, instead of joining them with all of the store's buckets.
 */
export const salesSql = `with facts as materialized (${storeFacts}),
  wanted as materialized (select readable and orders_version is distinct from $5 as yes from facts)
  select facts.*, whole.sold, parts.sold from facts
  left join lateral (
    select string_agg(sums.item_id || ':' || sums.lines || ':' || sums.units || ':' || sums.nanos, ';') as sold
    from wanted, unnest($6::bigint[], $7::bigint[], $8::bigint[]) as span (width, first, last)
    cross join lateral (
      select item_id, sum(lines) as lines, sum(units) as units, sum(nanos) as nanos from sales_rollups
      where wanted.yes and store_id = $4 and width = span.width and bucket between span.first and span.last
      group by item_id
    ) as sums
  ) as whole on true
  left join lateral (
    select string_agg(texts.sold, ';') as sold
    from wanted, unnest($9::bigint[], $10::bigint[]) as edge (first, last)
    cross join lateral (
      select string_agg(sold, ';') as sold from orders
      where wanted.yes and store_id = $4 and created_at between edge.first and edge.last and sold <> ''
    ) as texts
  ) as parts on true`

export function createSales(db: Database): Sales {
  return {
    async sum(claim, { store_id, spans, edges }, unless_version) {
      const row = await db.rawRow(salesSql, [
        ...claimValues(claim),
        store_id,
        unless_version,
        spans.map(({ width }) => width),
        spans.map(({ first }) => first),
        spans.map(({ last }) => last),
        edges.map(({ from }) => from),
        edges.map(({ to }) => to),
      ])
      const { facts, readable, rest } = readFacts(row)
      if (!readable || facts.store?.orders_version === unless_version) return { facts, sold: null }
      const [whole, parts] = rest.map(text => text?.toString() ?? '')
      return { facts, sold: [...decodeSold(whole ?? ''), ...sumSold(parts ?? '')] }
    },
  }
}
