import type { CartLine, Order } from 'tillgate-client'

/** The figures of one day of a store, in the store's time zone. */
export interface Day {
  /** `yyyy-MM-dd` on the store's wall clock. */
  date: string
  /** The newest first. */
  orders: Order[]
  /** Without refunded orders. */
  count: number
  sales: bigint
  /** By amount, the largest first; without what costs nothing. */
  items: ItemSales[]
  /** Sales of each hour of the wall clock, from midnight. */
  hours: bigint[]
}

interface ItemSales {
  name: string
  count: number
  /** In cents; the API has net prices with parts of a cent. */
  amount: number
}

/** Order status: 2 paid, 3 refunded, 11 refunded in part. */
const refunded = 3

/** API times are UTC, `yyyy-MM-dd HH:mm:ss`. */
export const timeOf = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`)

/** `yyyy-MM-dd` on the wall clock of the zone. */
export const dateIn = (timeZone: string, time: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    time,
  )

/** The day to show: the one that is asked for, or the last one with orders, which in the morning is not today. */
export function dateToShow(asked: string | null, timeZone: string, newest: string | null, now: Date): string {
  const today = dateIn(timeZone, now)
  if (asked !== null && isDate(asked) && asked <= today) return asked
  const last = newest === null ? today : dateIn(timeZone, timeOf(newest))
  return last < today ? last : today
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

export const moveDate = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** Every local day lies within these times, whatever the zone and however long the day is. */
export const windowAround = (date: string): { from: string; to: string } => ({
  from: `${moveDate(date, -1)} 00:00:00`,
  to: `${moveDate(date, 1)} 23:59:59`,
})

/** What was paid. Whole cents as bigint, so that no sum loses a cent. */
export const totalOf = ({ payments }: Order): bigint =>
  payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/** A cashier may sell something that has no name. */
export const nameOf = ({ name }: Pick<CartLine, 'name'>): string => name ?? 'Without a name'

/** The day's figures out of orders around it. */
export function figuresOf(date: string, timeZone: string, around: readonly Order[]): Day {
  const hourOf = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' })
  const orders = around.filter(({ created_at }) => dateIn(timeZone, timeOf(created_at)) === date)
  const sold = orders.filter(({ status }) => status !== refunded)
  const hours = Array.from({ length: 24 }, () => 0n)
  const items = new Map<string, ItemSales>()
  let sales = 0n
  for (const order of sold) {
    const total = totalOf(order)
    const hour = Number(hourOf.format(timeOf(order.created_at)))
    sales += total
    hours[hour] = (hours[hour] ?? 0n) + total
    for (const { menu_id, name, count, net_price } of order.carts) {
      const key = String(menu_id ?? name)
      const item = items.get(key) ?? { name: nameOf({ name }), count: 0, amount: 0 }
      item.count += Number(count)
      item.amount += Number(net_price) * Number(count)
      items.set(key, item)
    }
  }
  const priced = [...items.values()].filter(({ amount }) => amount > 0)
  const byAmount = priced.sort((a, b) => b.amount - a.amount || (a.name < b.name ? -1 : 1))
  return { date, orders, count: sold.length, sales, items: byAmount, hours }
}
