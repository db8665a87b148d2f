import type { ConformContext, Json } from './context.ts'
import {
  cartFields,
  codes,
  fieldProblem,
  type Fields,
  fulfillments,
  isDatetime,
  itemFields,
  orderFields,
  paymentFields,
  promotionFields,
  promotionItemFields,
  sources,
  storeFields,
  taxFields,
} from './fields.ts'
import { Breach, Skipped } from './outcomes.ts'
import { every, judge, needStore, persistent, type Rule, rule } from './rule.ts'

/** Sections 2.3 to 2.6 and 3: fields, types and codes of what the lists hold. */

type Read = (context: ConformContext) => Promise<Json[]> | Json[]
const orders = (context: ConformContext): Json[] => {
  context.needScope('integration.order')
  needStore(context)
  return context.orders
}
const within =
  (array: string): Read =>
  context =>
    orders(context).flatMap(order => (Array.isArray(order[array]) ? order[array] : []))
const stores: Read = context => context.entries('stores', { count: 1000 })
const ofStore =
  (name: 'items' | 'sales'): Read =>
  context => {
    needStore(context)
    return context.entries(name, { count: 1000 })
  }
const items = ofStore('items')
const promotionItems: Read = context =>
  orders(context)
    .flatMap(order => order.promotions ?? [])
    .flatMap(promotion => promotion.items ?? [])

const forAll = (
  [section, id, expected]: readonly [string, string, string],
  what: string,
  read: Read,
  problemOf: (entry: Json, context: ConformContext) => string | null,
): Rule =>
  rule(section, id, expected, async context =>
    every(await read(context), what, entry => problemOf(entry, context)),
  )

const fieldsOf = (section: string, id: string, what: string, read: Read, fields: Fields): Rule =>
  forAll([section, id, `${what} have every field of the table, with its type`], what, read, entry =>
    fieldProblem(entry, fields, what),
  )

const codesOf = (
  section: string,
  id: string,
  what: string,
  read: Read,
  field: string,
  known: readonly number[],
): Rule =>
  forAll([section, id, `${field} of ${what}: ${known.join(', ')}`], what, read, entry =>
    entry[field] === null || known.includes(entry[field]) ? null : `${field} is ${String(entry[field])}`,
  )

const unique = (section: string, id: string, what: string, read: Read, field: string): Rule =>
  rule(section, id, `${what}: each ${field} once`, async context => {
    const ids = (await read(context)).map(entry => String(entry[field]))
    if (ids.length === 0) throw new Skipped(`no ${what} to look at`)
    return judge(new Set(ids).size === ids.length, `${ids.length} ${what}, ${new Set(ids).size} different`)
  })

const labels = (field: string, known: Record<number, string | null>): Rule =>
  forAll(
    ['2.4', `order.${field}`, `${field} is the label of ${field}_type`],
    'orders',
    orders,
    ({ [field]: label, [`${field}_type`]: code, id }) => {
      if (code === null) return null
      if (!(code in known)) return `${field}_type of ${id} is ${String(code)}`
      const expected = known[code]
      return expected === null || label === expected
        ? null
        : `${field} of ${id} is ${JSON.stringify(label)} for code ${code}`
    },
  )

export const dataRules: Rule[] = [
  fieldsOf('2.3', 'store.fields', 'stores', stores, storeFields),
  forAll(
    ['2.3', 'store.timezone', 'the timezone is the name of a time zone'],
    'stores',
    stores,
    ({ timezone, id }) => {
      try {
        Intl.DateTimeFormat('en', { timeZone: timezone })
        return null
      } catch {
        return `timezone of ${id} is ${JSON.stringify(timezone)}`
      }
    },
  ),
  unique('4.1', 'store.unique', 'stores', stores, 'id'),
  fieldsOf('2.4', 'order.fields', 'orders', orders, orderFields),
  forAll(
    ['2.4', 'order.id', 'an order has an id, a status, and a time of creation'],
    'orders',
    orders,
    order =>
      typeof order.id === 'string' && order.id !== '' && order.status !== null && isDatetime(order.created_at)
        ? null
        : `order ${String(order.id)}, status ${String(order.status)}, created_at ${String(order.created_at)}`,
  ),
  forAll(['2.4', 'order.times', 'times are yyyy-MM-dd HH:mm:ss'], 'orders', orders, order => {
    for (const field of ['created_at', 'updated_at', 'scheduled_at', 'paid_at', 'status_time', 'pay_time']) {
      const value = order[field]
      if (value !== null && value !== undefined && !isDatetime(value))
        return `${field} of ${order.id} is ${value}`
    }
    return null
  }),
  unique('4.3', 'order.unique', 'orders', orders, 'id'),
  forAll(
    ['4.3', 'order.store', 'orders are of the store that was asked for'],
    'orders',
    orders,
    (order, { storeId }) =>
      String(order.store_id) === String(storeId)
        ? null
        : `store_id of ${order.id} is ${String(order.store_id)}`,
  ),
  forAll(
    ['4.3', 'order.window', 'orders have a time within the window'],
    'orders',
    orders,
    (order, { lists }) => {
      const { start_date, end_date } = lists.find(({ name }) => name === 'orders')?.query ?? {}
      const isWithin = (time: Json) => time >= String(start_date) && time <= String(end_date)
      const times = [order.created_at, order.updated_at, order.paid_at]
      return times.some(time => typeof time === 'string' && isWithin(time))
        ? null
        : `${order.id}: ${times.join(', ')}`
    },
  ),
  codesOf('3.1', 'order.status', 'orders', orders, 'status', codes.orderStatus),
  labels('source', sources),
  labels('fulfillment', fulfillments),
  fieldsOf('2.4.3', 'cart.fields', 'cart lines', within('carts'), cartFields),
  codesOf('2.4.3', 'cart.type', 'cart lines', within('carts'), 'type', codes.cartType),
  codesOf('2.4.3', 'cart.unit', 'cart lines', within('carts'), 'unit_type', codes.unitType),
  rule('2.4.3', 'cart.tid', 'tid is unique within the cart', async context =>
    every(orders(context), 'orders', ({ id, carts }) => {
      const tids = (carts ?? []).map(({ tid }: Json) => tid)
      return new Set(tids).size === tids.length ? null : `tids of ${id}: ${tids.join()}`
    }),
  ),
  fieldsOf('2.4.4', 'tax.fields', 'taxes', within('taxes'), taxFields),
  fieldsOf('2.4.5', 'payment.fields', 'payments', within('payments'), paymentFields),
  codesOf('2.4.5', 'payment.type', 'payments', within('payments'), 'type', codes.paymentType),
  codesOf('2.4.5', 'payment.platform', 'payments', within('payments'), 'platform', codes.paymentPlatform),
  fieldsOf('2.4.6', 'promotion.fields', 'promotions', within('promotions'), promotionFields),
  codesOf('2.4.6', 'promotion.type', 'promotions', within('promotions'), 'type', codes.promotionType),
  fieldsOf('2.4.6', 'promotion.items', 'promotion items', promotionItems, promotionItemFields),
  fieldsOf('2.5', 'item.fields', 'items', items, itemFields),
  codesOf('3.2', 'item.status', 'items', items, 'status', codes.itemStatus),
  unique('4.4', 'item.unique', 'items', items, 'id'),
  fieldsOf('2.6', 'sale.fields', 'sales', ofStore('sales'), { item_id: 'int64', count: 'int32' }),
  unique('4.5', 'sale.unique', 'sales', ofStore('sales'), 'item_id'),
  rule(
    '4.4',
    'item.updated-after',
    'updated_after leaves out items that were not updated since',
    persistent(async context => {
      const all = await items(context)
      if (all.length === 0) throw new Skipped('no items to look at')
      const [past, future] = [
        await context.entries('items', { count: 1000, updated_after: '1971-01-01 00:00:00' }),
        await context.entries('items', { count: 1000, updated_after: '2999-01-01 00:00:00' }),
      ]
      const seen = `${past.length} since 1971, ${future.length} since 2999, ${all.length} without`
      if (past.length !== all.length || future.length !== 0) throw new Breach(seen)
      return seen
    }),
  ),
]
