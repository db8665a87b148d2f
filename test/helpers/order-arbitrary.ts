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
import { isName } from '../../src/lib/names.ts'
import { character } from './character.ts'

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

/** Names that every object has. */
const dangerous = fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf')

const anyText = (maxLength: number, minLength: number) =>
  fc.string({ unit: character, maxLength, minLength }).map(value => value.replaceAll('\0', '0'))

/** What people type, and what breaks programs; without the NUL that is refused. */
const text = (maxLength = 40, minLength = 0) =>
  fc.oneof(
    { weight: 20, arbitrary: anyText(Math.floor(maxLength / 2), minLength) },
    { weight: 1, arbitrary: dangerous },
  )

function timeBefore(end: number): fc.Arbitrary<string> {
  return fc
    .integer({ min: Date.UTC(2026, 0, 1) / 1000, max: end / 1000 })
    .map(seconds => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '))
}

/** A second of 2026, as the API writes it. */
const datetime = timeBefore(Date.UTC(2026, 11, 31))

/** Before the tests' clock. */
const pastDatetime = timeBefore(Date.UTC(2026, 10, 1))

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
  updated_at: pastDatetime,
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
  device_name: maybe(text().filter(isName)),
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
