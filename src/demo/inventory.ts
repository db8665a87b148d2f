import type { Static } from 'typebox'
import type { ItemRecord } from '../contract/record.ts'
import type { Seconds } from '../lib/clock.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { daySeconds } from './local-time.ts'
import type { Dish, Menu, TaxClass } from './menus/menu.ts'
import { type Draw, type Random, weighted } from './random.ts'

/** A menu as one store's inventory: an item for each dish or size, extra, bundle and gift card. */

export interface StockItem {
  id: number
  /** Item type code (spec 2.4.3). */
  type: 2 | 21 | 22 | 101 | 102
  unit_type: 0 | 1 | 5 | 11 | 15
  name: string
  category_name: string | null
  code: string | null
  price: number
  tax: TaxClass
  updated_at: Seconds
  /** When it was deleted; it is never sold after that. */
  deleted_at: Seconds | null
  extras: readonly StockItem[]
  /** A bundle's courses: the choices of each. */
  courses: readonly (readonly Choice[])[]
}

interface Choice {
  item: StockItem
  supplement: number
}

export interface Inventory {
  items: readonly StockItem[]
  dish: Draw<StockItem>
  bundle: Draw<StockItem>
  giftCard: Draw<StockItem>
}

const unitTypes = { PCS: 0, KG: 1, G: 5, L: 11, ML: 15 } as const
const giftCardValues = [2500, 5000, 10_000]

export function createInventory(
  menu: Menu,
  store_id: number,
  random: Random,
  start: Seconds,
  end: Seconds,
): Inventory {
  const items: StockItem[] = []
  const named = new Map<string, StockItem>()
  // Extras are created first, because dishes refer to them, and numbered last, so that lists begin with dishes.
  let lastExtra = 500
  let lastOther = 0

  const add = (item: Pick<StockItem, 'type' | 'name' | 'price' | 'tax'> & Partial<StockItem>): StockItem => {
    const number = item.type === 22 ? ++lastExtra : ++lastOther
    const added: StockItem = {
      id: store_id * 1000 + number,
      unit_type: 0,
      category_name: null,
      code: `${menu.code}-${String(number).padStart(3, '0')}`,
      updated_at: lastEdit(random, start, end),
      deleted_at: null,
      extras: [],
      courses: [],
      ...item,
    }
    items.push(added)
    named.set(item.name, added)
    return added
  }
  const known = (name: string): StockItem => {
    const item = named.get(name)
    if (!item) throw new Error(`the menu ${menu.code} names "${name}", which it does not have`)
    return item
  }

  for (const [name, price] of Object.entries(menu.extras)) {
    // It is taxed with its dish, so its own class is not used.
    add({ type: 22, name, price, category_name: 'Extras', code: null, tax: 'meal' })
  }
  const dishes = menu.dishes.flatMap(dish => {
    const sold = sizesOf(dish).map(([name, price]) => {
      const deleted_at = dish.dropped ? start + Math.round((end - start) * (0.4 + random.next() * 0.2)) : null
      return add({
        type: dish.sizes ? 21 : 2,
        unit_type: unitTypes[dish.unit ?? 'PCS'],
        name,
        price,
        category_name: dish.category,
        tax: dish.tax,
        deleted_at,
        ...(deleted_at !== null && { updated_at: deleted_at }),
        extras: (dish.extras ?? []).map(known),
      })
    })
    return sold.map(item => [item, (dish.liked ?? 1) / sold.length] as const)
  })
  const bundles = menu.bundles.map(({ type, name, category, price, tax, courses, liked }) => {
    const item = add({
      type,
      name,
      category_name: category,
      price,
      tax,
      courses: courses.map(course =>
        Object.entries(course).map(([choice, supplement]) => ({ item: known(choice), supplement })),
      ),
    })
    return [item, liked ?? 1] as const
  })
  const giftCards = giftCardValues.map(price => {
    const name = `Gift card ${price / 100}`
    return [add({ type: 2, name, price, tax: 'gift', category_name: 'Gift cards' }), 1] as const
  })
  return { items, dish: weighted(dishes), bundle: weighted(bundles), giftCard: weighted(giftCards) }
}

const sizesOf = (dish: Dish): [name: string, price: number][] =>
  dish.sizes
    ? Object.entries(dish.sizes).map(([size, adds]) => [`${dish.name}, ${size}`, dish.price + adds])
    : [[dish.name, dish.price]]

/** Most items are older than the demo; some were updated since, so that `updated_after` finds them. */
const lastEdit = (random: Random, start: Seconds, end: Seconds): Seconds =>
  random.chance(0.2)
    ? start + Math.floor(random.next() * (end - start))
    : start - random.between(1, 200 * daySeconds)

export const itemRecord = (store_id: number, item: StockItem): Static<typeof ItemRecord> => ({
  kind: 'item',
  store_id,
  id: item.id,
  status: item.deleted_at === null ? 2 : 4,
  name: item.name,
  category_name: item.category_name,
  price: item.price,
  updated_at: formatDatetime(item.updated_at),
})
