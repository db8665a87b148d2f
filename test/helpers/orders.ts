import fc from 'fast-check'
import {
  fulfillments,
  itemTypes,
  orderStatuses,
  paymentPlatforms,
  paymentTypes,
  promotionTypes,
  sources,
  unitTypes,
} from '../../src/contract/codes.ts'
import { type RawNumber, rawNumber } from '../../src/lib/exact-json.ts'

/** Records as the platform writes them: samples to change one field of, and arbitrary valid ones. */

export const sampleStore = (overrides: object = {}) => ({
  kind: 'store',
  id: 1001,
  name: 'Harbour Street',
  timezone: 'Australia/Sydney',
  merchant: 'owner@example.com',
  ...overrides,
})

export const sampleItem = (overrides: object = {}) => ({
  kind: 'item',
  store_id: 1001,
  id: 12,
  status: 2,
  name: 'Flat white',
  category_name: 'Coffee',
  price: 450,
  updated_at: '2026-11-01 09:00:00',
  ...overrides,
})

export const sampleCart = (overrides: object = {}) => ({
  type: 2,
  tid: 1,
  group_no: 0,
  serial_no: 1,
  menu_id: 12,
  name: 'Flat white',
  code: null,
  unit_type: 0,
  price: 450,
  discount: 0,
  net_price: 409.09,
  count: 1,
  tax_total: 40.91,
  tax_calculated: 0,
  ...overrides,
})

/** Every field of spec 2.4 filled. */
export const sampleOrder = (overrides: object = {}) => ({
  kind: 'order',
  id: 'O-1',
  parent_id: null,
  order_number: 'A1',
  status: 2,
  created_at: '2026-11-01 09:30:00',
  updated_at: '2026-11-01 09:31:00',
  scheduled_at: null,
  paid_at: '2026-11-01 09:30:40',
  status_time: '2026-11-01 09:30:40',
  pay_time: '2026-11-01 09:30:40',
  source_type: 1,
  source: 'Offline',
  fulfillment_type: 1,
  fulfillment: 'Dine In',
  store_id: 1001,
  device_id: 55,
  device_register_id: 1,
  device_name: 'Front till',
  device_sn: 'SN-0001',
  delivery_fee: 0,
  service_surcharge_fee: 0,
  rounding: 0,
  subtotal: 450,
  tax_total: 41,
  tax_calculated: 0,
  tips: 0,
  shipping: null,
  carts: [sampleCart()],
  taxes: [{ amount: 40.91, rate: 0.1, name: 'GST', base_subtotal: 450 }],
  payments: [{ type: 3, platform: 101, amount: 450, surcharge: 0, name: 'Card', reference: 'txn_1' }],
  promotions: [
    {
      type: 22,
      discount_amount: 100,
      name: 'Voucher',
      reference: 'V-1',
      items: [{ type: 2, cart_no: 1, discount_amount: 100 }],
    },
  ],
  ...overrides,
})

const codeOf = (table: object) => fc.constantFrom(...Object.keys(table).map(Number))

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 })

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

const int64 = fc
  .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 100n }))
  .map(value => rawNumber(String(value)))

/** Any way to write a decimal, trailing zeros and exponents too. */
const decimal: fc.Arbitrary<RawNumber> = fc
  .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.stringMatching(/^(\.\d{1,9})?([eE][+-]?[0-2])?$/))
  .map(([whole, rest]) => rawNumber(`${whole}${rest}`))

/** What people type, and what breaks programs; without the NUL and the half pairs that are refused. */
const text = (maxLength = 40, minLength = 0) =>
  fc
    .string({ unit: 'binary', maxLength: Math.floor(maxLength / 2), minLength })
    .map(value => value.replaceAll('\0', '0'))
    .filter(value => value.isWellFormed())

/** A second of 2026, as the API writes it. */
const datetime = fc
  .integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2026, 11, 31) / 1000 })
  .map(seconds => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '))

const cartArbitrary = fc.record({
  type: codeOf(itemTypes),
  tid: maybe(int32),
  group_no: maybe(int32),
  serial_no: maybe(int32),
  menu_id: maybe(int64),
  name: maybe(text()),
  code: maybe(text()),
  unit_type: maybe(codeOf(unitTypes)),
  price: maybe(decimal),
  discount: maybe(decimal),
  net_price: maybe(decimal),
  count: decimal,
  tax_total: maybe(decimal),
  tax_calculated: maybe(decimal),
})

const taxArbitrary = fc.record({
  amount: decimal,
  rate: maybe(decimal),
  name: maybe(text()),
  base_subtotal: maybe(int32),
})

const paymentArbitrary = fc.record({
  type: codeOf(paymentTypes),
  platform: maybe(codeOf(paymentPlatforms)),
  amount: int32,
  surcharge: maybe(int32),
  name: maybe(text()),
  reference: maybe(text()),
})

const promotionArbitrary = fc.record({
  type: codeOf(promotionTypes),
  discount_amount: int32,
  name: maybe(text()),
  reference: maybe(text()),
  items: fc.array(fc.record({ type: codeOf(itemTypes), cart_no: maybe(int32), discount_amount: int32 }), {
    maxLength: 3,
  }),
})

/** A whole valid order, keys in spec order, labels null: as it is stored but for the labels. */
export const orderArbitrary = fc.record({
  id: text(60, 1),
  parent_id: maybe(text()),
  order_number: maybe(text()),
  status: codeOf(orderStatuses),
  created_at: datetime,
  updated_at: datetime,
  scheduled_at: maybe(datetime),
  paid_at: maybe(datetime),
  status_time: maybe(datetime),
  pay_time: maybe(datetime),
  source_type: maybe(codeOf(sources)),
  source: fc.constant(null),
  fulfillment_type: maybe(codeOf(fulfillments)),
  fulfillment: fc.constant(null),
  store_id: int64,
  device_id: maybe(int64),
  device_register_id: maybe(int32),
  device_name: maybe(text()),
  device_sn: maybe(text()),
  delivery_fee: maybe(int32),
  service_surcharge_fee: maybe(int32),
  rounding: maybe(int32),
  subtotal: maybe(int32),
  tax_total: maybe(int32),
  tax_calculated: maybe(int32),
  tips: maybe(int32),
  shipping: fc.constant(null),
  carts: fc.array(cartArbitrary, { maxLength: 4 }),
  taxes: fc.array(taxArbitrary, { maxLength: 2 }),
  payments: fc.array(paymentArbitrary, { maxLength: 2 }),
  promotions: fc.array(promotionArbitrary, { maxLength: 2 }),
})
