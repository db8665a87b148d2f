import type { Static } from 'typebox'
import type { ItemRecord, OrderRecord, StoreRecord } from '../contract/record.ts'
import type { Seconds } from '../lib/clock.ts'
import { type Channel, drawChannel } from './channels.ts'
import { createInventory, type Inventory, itemRecord } from './inventory.ts'
import { daySeconds } from './local-time.ts'
import { makeOrder } from './order.ts'
import type { Arrival, Shop } from './shop.ts'
import { type Place, places } from './places.ts'
import { createRandom } from './random.ts'
import { shares } from './shares.ts'
import { type TradingDay, tradingDays } from './trading-days.ts'
import { formatDate } from '../lib/datetime.ts'

export interface DemoOptions {
  stores: number
  orders: number
  days: number
  seed: number
  /** The end of the demo; its days are counted back from here. */
  end: Seconds
}

export type DemoRecord = Static<typeof StoreRecord> | Static<typeof ItemRecord> | OrderRecord

/** The merchants of the demo. The second one shows that merchants do not see each other's stores. */
export const owner = 'owner@demo.example'
export const neighbour = 'neighbour@demo.example'

/**
 * The demo's records: stores, then items, then the orders of one store after the other, oldest first. The same options
 * give the same records, byte for byte. They are generated on demand: only one day of a store is in memory.
 *
 * Refunds change the status and times of an order and leave its amounts as they were sold, because spec 2.4 has no
 * field for the refunded amount. A parent_id joins the separate bills of one table.
 */
export function* demoRecords(options: DemoOptions): Generator<DemoRecord> {
  const stores = Array.from({ length: options.stores }, (_, index) => storeAt(index, options.stores))
  for (const { place, ...store } of stores) yield { kind: 'store', ...store, timezone: place.timezone }
  for (const [index, { id, place }] of stores.entries()) {
    for (const item of inventoryOf(options, index, id, place).items) yield itemRecord(id, item)
  }
  const counts = shares(
    options.orders,
    stores.map(({ place }) => place.popularity),
  )
  for (const [index, { id, place }] of stores.entries()) {
    yield* storeOrders(shopAt(options, index, id, place), counts[index] ?? 0, options.days)
  }
}

/** One store of its own, with its items and orders; its place depends on the seed. */
export function* storeRecords(
  options: DemoOptions,
  { id, name }: { id: number; name: string },
): Generator<DemoRecord> {
  const place = places[options.seed % places.length] as Place
  yield { kind: 'store', id, name, timezone: place.timezone, merchant: null }
  const shop = shopAt(options, 0, id, place)
  for (const item of shop.inventory.items) yield itemRecord(id, item)
  yield* storeOrders(shop, options.orders, options.days)
}

/** The demo's stores as they are when its records end. */
export const demoShops = (options: DemoOptions): Shop[] =>
  Array.from({ length: options.stores }, (_, index) => {
    const { id, place } = storeAt(index, options.stores)
    return shopAt(options, index, id, place)
  })

const shopAt = (options: DemoOptions, index: number, id: number, place: Place): Shop => ({
  id,
  place,
  inventory: inventoryOf(options, index, id, place),
  random: createRandom(options.seed, 2 * index + 1),
  end: options.end,
})

const demoStoreId = (index: number): number => 1001 + index

function storeAt(index: number, stores: number) {
  const place = places[index % places.length] as Place
  const round = Math.floor(index / places.length)
  // Every sixth store belongs to the second merchant; in a smaller demo the last one, unless it is the only one.
  const others = (index + 1) % places.length === 0 || (stores < places.length && index === stores - 1)
  return {
    id: demoStoreId(index),
    name: round === 0 ? place.name : `${place.name} ${round + 1}`,
    merchant: others && stores > 1 ? neighbour : owner,
    place,
  }
}

/** Created twice, for the items and for the orders, from the same stream: cheaper than keeping all in memory. */
function inventoryOf(options: DemoOptions, index: number, id: number, place: Place): Inventory {
  const start = options.end - options.days * daySeconds
  return createInventory(place.menu, id, createRandom(options.seed, 2 * index), start, options.end)
}

function* storeOrders(shop: Shop, count: number, days: number): Generator<OrderRecord> {
  const { place, random, end } = shop
  const open = tradingDays(place.timezone, place.hours, end, days)
  const counts = shares(
    count,
    open.map(({ weight }) => weight * (0.8 + 0.4 * random.next())),
  )
  for (const [index, day] of open.entries()) yield* dayOrders(shop, day, counts[index] ?? 0)
}

function* dayOrders(shop: Shop, { day, arrivals }: TradingDay, count: number): Generator<OrderRecord> {
  const { random, place } = shop
  const date = formatDate(day * daySeconds).replaceAll('-', '')
  let last: Arrival | null = null
  let number = 0
  for (const drawn of arrivals(random, count)) {
    number++
    const order_number = String(number).padStart(4, '0')
    const id = `${shop.id}-${date}-${order_number}`
    const split: boolean = last !== null && last.parent_id === null && isSplit(shop, last.channel)
    // Sometimes two tills finish an order in the same second.
    const created_at: Seconds = last && (split || random.chance(0.01)) ? last.created_at : drawn
    const channel: Channel = split && last ? last.channel : drawChannel(random, place.tables)
    last = { id, parent_id: split && last ? last.id : null, order_number, created_at, day, channel }
    yield makeOrder(shop, last)
  }
}

/** A table with separate bills. */
const isSplit = ({ random }: Shop, { fulfillment }: Channel): boolean =>
  fulfillment === 2 && random.chance(0.05)
