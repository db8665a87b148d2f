import { decodeSold, type Sold, sumSold } from '../../../lib/sold.ts'
import type { Sales, SalesQuery } from '../../port/index.ts'
import { afterClaim, claimValues, readFacts, storeFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import { primaryFacts, replicaFacts, type ReplicaReader } from './replica-read.ts'
import type { Value } from '../connection/values.ts'

/**
 * After the claim: store, known version, the spans as lists of width, first and last, the edges as lists of both ends. Both
 * sums are text in the format of lib/sold.ts. The aggregates inside LATERAL make PostgreSQL look up each span in the
 * index, instead of joining the spans with all buckets of the store.
 */
export function salesSql({ facts = storeFacts, first = afterClaim } = {}): string {
  const at = (place: number) => `$${first + place}`
  return `with facts as materialized (${facts}),
  wanted as materialized (select readable and orders_version is distinct from ${at(1)} as yes from facts)
  select facts.*, whole.sold, parts.sold from facts
  left join lateral (
    select string_agg(sums.item_id || ':' || sums.lines || ':' || sums.units || ':' || sums.nanos, ';') as sold
    from wanted, unnest(${at(2)}::bigint[], ${at(3)}::bigint[], ${at(4)}::bigint[]) as span (width, first, last)
    cross join lateral (
      select item_id, sum(lines) as lines, sum(units) as units, sum(nanos) as nanos from sales_rollups
      where wanted.yes and store_id = ${at(0)} and width = span.width and bucket between span.first and span.last
      group by item_id
    ) as sums
  ) as whole on true
  left join lateral (
    select string_agg(texts.sold, ';') as sold
    from wanted, unnest(${at(5)}::bigint[], ${at(6)}::bigint[]) as edge (first, last)
    cross join lateral (
      select string_agg(sold, ';') as sold from orders
      where wanted.yes and store_id = ${at(0)} and created_at between edge.first and edge.last and sold <> ''
    ) as texts
  ) as parts on true`
}

export function createSales(db: Database, replica: ReplicaReader | null): Sales {
  const version = 'orders_version'
  const primarySql = salesSql()
  const replicaSql = salesSql({ facts: replicaFacts(version), first: 1 })
  const primary = { sql: primaryFacts(`facts.${version}`), values: [] }
  return {
    async sum({ claim, query, unless_version = null }) {
      const values = [query.store_id, unless_version, ...listsOf(query)]
      const statement = { version, unless_version, sql: replicaSql, values, primary } as const
      const answer = await replica?.read(claim, query.store_id, statement)
      if (answer) return { facts: answer.facts, sold: answer.rest && soldOf(answer.rest) }
      const { facts, readable, rest } = readFacts(
        await db.rawRow(primarySql, [...claimValues(claim), ...values]),
      )
      const known = facts.store?.[version] === unless_version
      return { facts, sold: readable && !known ? soldOf(rest) : null }
    },
  }
}

const listsOf = ({ spans, edges }: SalesQuery): Value[] => [
  spans.map(({ width }) => width),
  spans.map(({ first }) => first),
  spans.map(({ last }) => last),
  edges.map(({ from }) => from),
  edges.map(({ to }) => to),
]

function soldOf([whole, parts]: RawRow): Sold[] {
  return [...decodeSold(String(whole ?? '')), ...sumSold(String(parts ?? ''))]
}
