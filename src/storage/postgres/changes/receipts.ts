import { digestOf } from '../../../lib/digest.ts'
import type { Receipts } from '../../port/index.ts'
import { noEntities } from '../../shared/receipt.ts'
import { afterClaim, storeFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import { historyColumns, serverSql } from './history.ts'

const rowSql = `concat_ws(' ', day, entities, subtotal, digest_0, digest_1, digest_2, digest_3)`

const [store, first, last] = [0, 1, 2].map(place => `$${afterClaim + place}`)

/** After the claim: store, first and last day. One statement, so all is of one moment. */
export const receiptsSql = `with facts as materialized (${storeFacts})
  select facts.*, ${historyColumns}, days.list, items.list from facts cross join ${serverSql}
  left join lateral (
    select string_agg(${rowSql}, ',' order by day) as list from receipts
    where facts.readable and store_id = ${store} and kind = 'order' and day between ${first} and ${last} and entities > 0
  ) as days on true
  left join lateral (
    select string_agg(${rowSql}, ',') as list from receipts
    where facts.readable and store_id = ${store} and kind = 'item' and day = 0 and entities > 0
  ) as items on true`

export function receiptsOf([days, items]: RawRow): NonNullable<Receipts['receipts']> {
  const [ofItems] = parse(items)
  return { days: parse(days), items: ofItems ? withoutDay(ofItems) : noEntities }
}

function parse(list: RawRow[number] | undefined) {
  if (!list) return []
  return String(list)
    .split(',')
    .map(row => {
      const [day, count, subtotal, ...digest] = row.split(' ')
      return {
        day: Number(day),
        count: Number(count),
        subtotal: Number(subtotal),
        digest: digestOf(digest.map(BigInt)),
      }
    })
}

const withoutDay = ({ count, subtotal, digest }: ReturnType<typeof parse>[number]) => ({
  count,
  subtotal,
  digest,
})
