import type { Seconds } from '../lib/clock.ts'
import { roundQuantity } from '../lib/decimal.ts'
import type { AccessClaim, AccessFacts, SoldItem, Storage } from '../storage/port.ts'
import { cover } from './sales-buckets.ts'

interface SalesPage {
  store_id: bigint
  /** Both ends belong to the window. */
  from: Seconds
  to: Seconds
  index: number
  count: number
}

export interface Sales {
  /**
   * The sale records of the page as JSON, joined by commas; null when the claim may not read them, or the store's
   * orders still have the version given.
   */
  page(
    claim: AccessClaim,
    page: SalesPage,
    unless_version: number | null,
  ): Promise<{ facts: AccessFacts; data: string | null }>
}

/** Spec 4.5: what each item sold, from sums that every write keeps up to date. */
export function createSales({ storage }: { storage: Pick<Storage, 'sales'> }): Sales {
  return {
    async page(claim, { store_id, from, to, index, count }, unless_version) {
      const query = { store_id, ...cover(from, to) }
      const { facts, sold } = await storage.sales.sum(claim, query, unless_version)
      if (sold === null) return { facts, data: null }
      // An index and a count of int32 each: their product is still exact.
      const page = listed(sold).slice(index * count, index * count + count)
      return { facts, data: page.map(render).join(',') }
    },
  }
}

/** Each item once, by id. One whose orders were all refunded is no longer listed. */
function listed(sold: readonly SoldItem[]): SoldItem[] {
  const items = new Map<bigint, SoldItem>()
  for (const { item_id, lines, units, nanos } of sold) {
    const sum = items.get(item_id)
    if (sum) {
      sum.lines += lines
      sum.units += units
      sum.nanos += nanos
    } else items.set(item_id, { item_id, lines, units, nanos })
  }
  return [...items.values()]
    .filter(({ lines }) => lines !== 0n)
    .sort((a, b) => (a.item_id < b.item_id ? -1 : 1))
}

const render = (item: SoldItem): string => `{"item_id":${item.item_id},"count":${roundQuantity(item)}}`
