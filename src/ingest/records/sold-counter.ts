import { toQuantity } from '../../lib/decimal.ts'
import { encodeSold, type Sold } from '../../lib/sold.ts'
import { ArrayReader } from './array.ts'
import type { ObjectReader } from './object.ts'

/** The orders whose lines count as sold: paid, and refunded in part (design: sales). */
const countedStatuses = new Set(['2', '11'])

interface SoldCounter {
  reset(): void
  /** The sales of the order that was just read, given its status. */
  sold(status: string): string
}

/** Collects the cart lines of an order while it is read. */
export function createSoldCounter(order: ObjectReader): SoldCounter {
  const carts = order.reader('carts')
  if (!(carts instanceof ArrayReader)) throw new Error('carts is not a list')
  const menu_id = carts.element.index('menu_id')
  const count = carts.element.index('count')
  let lines: { item: string; count: string }[] = []

  carts.onElement = line => {
    const item = line.value(menu_id)
    if (item !== 'null') lines.push({ item, count: line.value(count) })
  }

  return {
    reset() {
      lines = []
    },
    sold(status) {
      if (lines.length === 0 || !countedStatuses.has(status)) return ''
      const items = new Map<string, Sold>()
      for (const line of lines) {
        const { units, nanos } = toQuantity(line.count)
        const sum = items.get(line.item)
        if (sum) {
          sum.lines += 1n
          sum.units += units
          sum.nanos += nanos
        } else items.set(line.item, { item_id: BigInt(line.item), lines: 1n, units, nanos })
      }
      return encodeSold([...items.values()])
    },
  }
}
