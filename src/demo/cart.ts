import type { Seconds } from '../lib/clock.ts'
import type { Inventory, StockItem } from './inventory.ts'
import type { TaxClass } from './menus/menu.ts'
import { type Random, weighted } from './random.ts'
import type { TaxRule } from './taxes.ts'

/**
 * A cart line of an order in the making. Its quantity is units ÷ per: whole pieces, grams and millilitres, and
 * kilograms and litres in steps of 1/200 (5 g, as on a shop's scale). Menu prices per KG and L are multiples of 200
 * cents, so price × quantity is always whole cents.
 */
export interface Line {
  item: StockItem
  group_no: number
  serial_no: number
  /** Cents for one unit. */
  price: number
  units: number
  per: 1 | 200
  rule: TaxRule
  /** Item discount for one unit, cents. */
  discount: number
  /** Order discount for one unit, hundredths of a cent. */
  order_discount: number
  /** Tax on one unit, hundredths of a cent. */
  tax: number
}

/** The price of the line before and after its item discount, cents. */
export const lineGross = (line: Line): number => (line.price * line.units) / line.per
export const lineCharge = (line: Line): number => ((line.price - line.discount) * line.units) / line.per

export interface CartWish {
  dishes: number
  at: Seconds
  rules: Readonly<Record<TaxClass, TaxRule>>
}

const pieces = weighted([
  [1, 80],
  [2, 15],
  [3, 4],
  [6, 1],
])

/** Dishes with their extras, and bundles, as customers order them. */
export function drawCart(random: Random, inventory: Inventory, { dishes, at, rules }: CartWish): Line[] {
  const cart = createCart(rules)
  for (let n = 0; n < dishes; n++) {
    if (random.chance(0.12)) addBundle(random, cart, inventory.bundle(random))
    else addDish(random, cart, drawOnSale(random, inventory, at))
  }
  return cart.lines
}

export function giftCardCart(
  random: Random,
  inventory: Inventory,
  rules: Readonly<Record<TaxClass, TaxRule>>,
): Line[] {
  const cart = createCart(rules)
  cart.add(inventory.giftCard(random), { units: 1 })
  return cart.lines
}

interface Cart {
  lines: Line[]
  /** The group number of the next set menu or combo. */
  nextGroup(): number
  add(item: StockItem, options: LineOptions): Line
}

interface LineOptions {
  units: number
  per?: 1 | 200
  group_no?: number
  price?: number
  taxed_as?: TaxRule
}

function createCart(rules: Readonly<Record<TaxClass, TaxRule>>): Cart {
  const lines: Line[] = []
  const serials = new Map<number, number>()
  let groups = 0
  return {
    lines,
    nextGroup: () => ++groups,
    add(item, { units, per = 1, group_no = 0, price = item.price, taxed_as = rules[item.tax] }) {
      const serial_no = (serials.get(group_no) ?? 0) + 1
      serials.set(group_no, serial_no)
      // The first line of each tax is for one piece: it absorbs the rounding of the other lines (pricing.ts).
      const first = per === 1 && !lines.some(line => line.rule === taxed_as)
      const line: Line = {
        item,
        group_no,
        serial_no,
        price,
        units: first && taxed_as.rate > 0 ? 1 : units,
        per,
        rule: taxed_as,
        discount: 0,
        order_discount: 0,
        tax: 0,
      }
      lines.push(line)
      return line
    },
  }
}

function addDish(random: Random, cart: Cart, item: StockItem): void {
  const dish = cart.add(item, quantity(random, item))
  if (item.extras.length === 0 || !random.chance(0.4)) return
  const extra = random.pick(item.extras)
  cart.add(extra, { units: dish.units, taxed_as: dish.rule })
}

/** The head line carries the price; the dishes of its courses follow in the same group and cost their supplement. */
function addBundle(random: Random, cart: Cart, item: StockItem): void {
  const group_no = cart.nextGroup()
  const head = cart.add(item, { units: random.chance(0.15) ? 2 : 1, group_no })
  for (const course of item.courses) {
    const { item: dish, supplement } = random.pick(course)
    cart.add(dish, { units: head.units, group_no, price: supplement, taxed_as: head.rule })
  }
}

function drawOnSale(random: Random, inventory: Inventory, at: Seconds): StockItem {
  for (;;) {
    const item = inventory.dish(random)
    if (item.deleted_at === null || at < item.deleted_at) return item
  }
}

function quantity(random: Random, item: StockItem): { units: number; per?: 200 } {
  switch (item.unit_type) {
    case 0:
      return { units: pieces(random) }
    case 1: // 80 g to 800 g
      return { units: random.between(16, 160), per: 200 }
    case 5: // Goods that cost dollars a gram are bought by the gram.
      return { units: item.price > 100 ? random.between(1, 3) : 10 * random.between(2, 20) }
    case 11: // A quarter litre to two
      return { units: 50 * random.between(1, 8), per: 200 }
    case 15:
      return { units: random.pick([50, 100, 250, 500]) }
  }
}
