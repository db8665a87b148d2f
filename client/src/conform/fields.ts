import type { Json } from './context.ts'

/** The field tables of section 2 of the specification. */

type Type = 'string' | 'datetime' | 'int8' | 'int32' | 'int64' | 'decimal' | 'array' | 'any'
export type Fields = Record<string, Type>

const fields = (types: Partial<Record<Type, string>>): Fields =>
  Object.fromEntries(
    Object.entries(types).flatMap(([type, names]) => names.split(' ').map(name => [name, type as Type])),
  )

export const storeFields = fields({ int64: 'id', string: 'name timezone' })
export const orderFields = fields({
  string: 'id parent_id order_number source fulfillment device_name device_sn',
  int8: 'status source_type fulfillment_type',
  datetime: 'created_at updated_at scheduled_at paid_at',
  int64: 'store_id device_id',
  int32:
    'device_register_id delivery_fee service_surcharge_fee rounding subtotal tax_total tax_calculated tips',
  array: 'carts taxes payments promotions',
})
export const cartFields = fields({
  int8: 'type unit_type',
  int32: 'tid group_no serial_no',
  string: 'name code',
  decimal: 'price discount net_price count tax_total tax_calculated',
})
export const taxFields = fields({ decimal: 'amount rate', string: 'name', int32: 'base_subtotal' })
export const paymentFields = fields({
  int8: 'type platform',
  int32: 'amount surcharge',
  string: 'name reference',
})
export const promotionFields = fields({
  int8: 'type',
  int32: 'discount_amount',
  string: 'name reference',
  array: 'items',
})
export const promotionItemFields = fields({ int8: 'type', int32: 'cart_no discount_amount' })
export const itemFields = fields({
  int64: 'id',
  int8: 'status',
  string: 'name category_name',
  int32: 'price',
})

/** Codes and, where the specification names them, labels. */
export const sources: Record<number, string | null> = {
  1: 'Offline',
  2: 'Kiosk',
  3: 'Caller Id',
  4: 'Pay by Link',
  11: 'Offline Pre-Order',
  30: 'QR Table',
  35: 'QR Ordering',
  36: 'Venue Ordering',
  40: 'Online',
  42: 'Online Pre-Order',
  48: 'Online Gift Card',
  53: null,
  54: null,
  55: null,
}
export const fulfillments: Record<number, string> = {
  1: 'Dine In',
  2: 'Table Service',
  3: 'Take Away',
  4: 'Delivery',
  5: 'Third Party',
}
export const codes = {
  orderStatus: [2, 3, 11],
  itemStatus: [2, 4],
  cartType: [2, 21, 22, 101, 102],
  unitType: [0, 1, 5, 11, 15],
  paymentType: [1, 2, 3, 6, 8, 20, 22, 23, 26],
  paymentPlatform: [0, 1, 2, 3, 4, 6, 7, 9, 41, 42, 43, 44, 45, 46, 47, 48, 49, 100, 101, 102],
  promotionType: [20, 21, 22, 23, 24, 25],
}

const limits = { int8: 2n ** 7n, int32: 2n ** 31n, int64: 2n ** 63n }

/** Which null is allowed beyond the named fields is not in the specification, so null always passes. */
const fits: Record<Type, (value: Json) => boolean> = {
  any: () => true,
  string: value => typeof value === 'string',
  datetime: isDatetime,
  array: Array.isArray,
  decimal: value => typeof value === 'number' || typeof value === 'bigint',
  int8: value => isInteger(value, limits.int8),
  int32: value => isInteger(value, limits.int32),
  int64: value => isInteger(value, limits.int64),
}

function isInteger(value: Json, limit: bigint): boolean {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return false
  return BigInt(value) >= -limit && BigInt(value) < limit
}

/** `yyyy-MM-dd HH:mm:ss`, and a real time. */
export function isDatetime(value: Json): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)) return false
  const date = new Date(`${value.replace(' ', 'T')}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19).replace('T', ' ') === value
}

/** What is wrong with the fields of an object, or null. */
export function fieldProblem(entry: Json, fields: Fields, name: string): string | null {
  if (typeof entry !== 'object' || entry === null) return `${name} is ${JSON.stringify(entry)}`
  for (const [field, type] of Object.entries(fields)) {
    const value = entry[field]
    if (value === undefined) return `${name} ${String(entry.id ?? '')} has no ${field}`
    if (value === null && type !== 'array') continue
    if (!fits[type](value))
      return `${field} of ${name} ${String(entry.id ?? '')} is ${String(JSON.stringify(value))}, not ${type}`
  }
  return null
}
