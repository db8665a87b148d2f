import { rawNumber as raw } from '../../src/lib/exact-json.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from './orders.ts'

const without = (record: object, name: string) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))

const cart = (overrides: object) => sampleOrder({ carts: [sampleCart(), sampleCart(overrides)] })

const int32Rule = 'a whole number from -2147483648 to 2147483647'
const int64Rule = 'a whole number from -9223372036854775808 to 9223372036854775807'
const nameText = 'text with a visible character and no control, invisible or direction-changing ones'
const time = 'a time that exists as yyyy-MM-dd HH:mm:ss'

/**
 * Each: what the record is, and the problems it must be refused with as line 3, all of them: rule and message. The
 * domain and both entrances are held to it.
 */
export const badRecords: { name: string; record: object | string; problems: string[] }[] = [
  // Names.
  {
    name: 'a blank store name',
    record: sampleStore({ name: ' \u00a0' }),
    problems: [`name line 3: name is " \u00a0"; it must be ${nameText}`],
  },
  {
    name: 'an item name that changes direction',
    record: sampleItem({ name: 'Flat \u202ewhite' }),
    problems: [`name line 3: name is "Flat \\u202ewhite"; it must be ${nameText}`],
  },
  {
    name: 'a device name with an invisible character',
    record: sampleOrder({ device_name: 'Till\u200b1' }),
    problems: [`name line 3: device_name is "Till\\u200b1"; it must be ${nameText} or null`],
  },
  {
    name: 'an empty device name',
    record: sampleOrder({ device_name: '' }),
    problems: ['length line 3: device_name is ""; it must be text or null of 1 to 4000 characters'],
  },
  // The line as a whole.
  {
    name: 'text that is not JSON',
    record: '{"kind":"order"',
    problems: ['not_json line 3: the record is not JSON: "{\\"kind\\":\\"order\\""'],
  },
  {
    name: 'two values on a line',
    record: '{"kind":"order"} {}',
    problems: ['not_json line 3: the record is not JSON: "{\\"kind\\":\\"order\\"} {}"'],
  },
  {
    name: 'a list',
    record: '[1]',
    problems: ['type line 3: the record is an array; it must be a JSON object'],
  },
  { name: 'a number', record: '5', problems: ['type line 3: the record is 5; it must be a JSON object'] },
  { name: 'null', record: 'null', problems: ['type line 3: the record is null; it must be a JSON object'] },
  {
    name: 'a record without a kind',
    record: '{"id":1}',
    problems: ['required line 3: kind is missing; it must be "store", "item" or "order"'],
  },
  {
    name: 'an unknown kind',
    record: '{"kind":"refund"}',
    problems: ['kind line 3: kind is "refund"; it must be "store", "item" or "order"'],
  },
  {
    name: 'a kind from the prototype',
    record: '{"__proto__":{"kind":"order"}}',
    problems: ['required line 3: kind is missing; it must be "store", "item" or "order"'],
  },
  {
    name: 'a line of more than 1 MiB',
    record: `{"kind":"order","id":"${'x'.repeat(1_048_576)}"}`,
    problems: ['too_long line 3: the record is longer than 1048576 bytes, the maximum for a line'],
  },
  {
    name: 'a value nested too deeply',
    record: `{"kind":"order","carts":${'['.repeat(300_000)}`,
    problems: ['too_deep line 3: the record is nested more deeply than any record'],
  },

  // Fields.
  {
    name: 'an unknown field',
    record: sampleOrder({ foo: 1 }),
    problems: ['unknown_field line 3: foo is 1; it is not a field that can be stored'],
  },
  {
    name: 'an unknown field of a cart line',
    record: cart({ foo: { bar: [1] } }),
    problems: ['unknown_field line 3: carts[1].foo is an object; it is not a field that can be stored'],
  },
  {
    name: 'an unknown field of a promotion’s item',
    record: sampleOrder({
      promotions: [{ type: 22, discount_amount: 1, items: [{ type: 2, discount_amount: 1, x: 1 }] }],
    }),
    problems: ['unknown_field line 3: promotions[0].items[0].x is 1; it is not a field that can be stored'],
  },
  {
    name: '__proto__ as a field',
    record: JSON.stringify(sampleOrder()).replace('"id"', '"__proto__":{"id":1},"id"'),
    problems: ['unknown_field line 3: __proto__ is an object; it is not a field that can be stored'],
  },
  {
    name: 'constructor as a field',
    record: sampleOrder({ constructor: 1 }),
    problems: ['unknown_field line 3: constructor is 1; it is not a field that can be stored'],
  },
  {
    name: 'a field whose name would upset a terminal',
    record: sampleOrder({ '\u001b[31m\u202e': 1 }),
    problems: ['unknown_field line 3: ["\\u001b[31m\\u202e"] is 1; it is not a field that can be stored'],
  },
  {
    name: 'missing required fields, all of them',
    record: { kind: 'order' },
    problems: [
      'required line 3: id is missing; it must be text',
      'required line 3: status is missing; it must be one of 2, 3, 11',
      `required line 3: created_at is missing; it must be ${time}`,
      `required line 3: store_id is missing; it must be ${int64Rule}`,
    ],
  },
  {
    name: 'a required field that is null',
    record: sampleOrder({ status: null }),
    problems: ['type line 3: status is null; it must be one of 2, 3, 11'],
  },
  {
    name: 'a missing count of a cart line',
    record: sampleOrder({ carts: [without(sampleCart(), 'count')] }),
    problems: ['required line 3: carts[0].count is missing; it must be a number'],
  },
  {
    name: 'an item without its required fields',
    record: { kind: 'item' },
    problems: [
      `required line 3: store_id is missing; it must be ${int64Rule}`,
      `required line 3: id is missing; it must be ${int64Rule}`,
      'required line 3: status is missing; it must be one of 2, 4',
      'required line 3: name is missing; it must be text',
      `required line 3: price is missing; it must be ${int32Rule}`,
      `required line 3: updated_at is missing; it must be ${time}`,
    ],
  },
  {
    name: 'a store without its required fields',
    record: { kind: 'store' },
    problems: [
      `required line 3: id is missing; it must be ${int64Rule}`,
      'required line 3: name is missing; it must be text',
      'required line 3: timezone is missing; it must be text',
    ],
  },
  {
    name: 'several bad fields, each named',
    record: cart({ tid: 'x', count: 'two' }),
    problems: [
      `type line 3: carts[1].tid is "x"; it must be ${int32Rule} or null`,
      'type line 3: carts[1].count is "two"; it must be a number',
    ],
  },
  {
    name: 'a shipping that is not null',
    record: sampleOrder({ shipping: {} }),
    problems: ['type line 3: shipping is an object; it must be null'],
  },

  // Lists.
  {
    name: 'carts that are no list',
    record: sampleOrder({ carts: {} }),
    problems: ['type line 3: carts is an object; it must be a list'],
  },
  {
    name: 'a cart line that is no object',
    record: sampleOrder({ carts: [[]] }),
    problems: ['type line 3: carts[0] is an array; it must be an object'],
  },
  {
    name: 'a cart line that is null',
    record: sampleOrder({ carts: [null] }),
    problems: ['type line 3: carts[0] is null; it must be an object'],
  },
  {
    name: 'more than 1000 elements',
    record: sampleOrder({ carts: Array(1001).fill(sampleCart()) }),
    problems: ['too_many line 3: carts has 1001 elements; it must have at most 1000'],
  },

  // Whole numbers.
  {
    name: 'an integer written as 1.0',
    record: sampleOrder({ tips: raw('1.0') }),
    problems: [
      `type line 3: tips is 1.0; it must be ${int32Rule} or null, written without a point or an exponent`,
    ],
  },
  {
    name: 'an integer written as 1e3',
    record: sampleOrder({ tips: raw('1e3') }),
    problems: [
      `type line 3: tips is 1e3; it must be ${int32Rule} or null, written without a point or an exponent`,
    ],
  },
  {
    name: 'a code written as 2.0',
    record: sampleOrder({ status: raw('2.0') }),
    problems: [
      'type line 3: status is 2.0; it must be one of 2, 3, 11, written without a point or an exponent',
    ],
  },
  {
    name: 'an int64 written as 1e3',
    record: sampleOrder({ device_id: raw('1e3') }),
    problems: [
      `type line 3: device_id is 1e3; it must be ${int64Rule} or null, written without a point or an exponent`,
    ],
  },
  {
    name: 'an integer written as -0',
    record: sampleOrder({ tips: raw('-0') }),
    problems: [`range line 3: tips is -0; it must be ${int32Rule} or null`],
  },
  {
    name: 'an int64 written as -0',
    record: sampleOrder({ device_id: raw('-0') }),
    problems: [`range line 3: device_id is -0; it must be ${int64Rule} or null`],
  },
  {
    name: 'an integer above int32',
    record: sampleOrder({ subtotal: 2 ** 31 }),
    problems: [`range line 3: subtotal is 2147483648; it must be ${int32Rule} or null`],
  },
  {
    name: 'an integer below int32',
    record: sampleOrder({ subtotal: -(2 ** 31) - 1 }),
    problems: [`range line 3: subtotal is -2147483649; it must be ${int32Rule} or null`],
  },
  {
    name: 'an integer of many digits',
    record: sampleOrder({ subtotal: raw('9'.repeat(400)) }),
    problems: [`range line 3: subtotal is ${'9'.repeat(60)}…; it must be ${int32Rule} or null`],
  },
  {
    name: 'an integer above int64',
    record: sampleOrder({ store_id: raw('9223372036854775808') }),
    problems: [`range line 3: store_id is 9223372036854775808; it must be ${int64Rule}`],
  },
  {
    name: 'an integer below int64',
    record: sampleOrder({ store_id: raw('-9223372036854775809') }),
    problems: [`range line 3: store_id is -9223372036854775809; it must be ${int64Rule}`],
  },
  {
    name: 'an integer as text',
    record: sampleOrder({ store_id: '1001' }),
    problems: [`type line 3: store_id is "1001"; it must be ${int64Rule}`],
  },
  {
    name: 'an integer that is true',
    record: sampleItem({ price: true }),
    problems: [`type line 3: price is true; it must be ${int32Rule}`],
  },

  // Decimals.
  {
    name: 'a decimal as text',
    record: cart({ count: 'two' }),
    problems: ['type line 3: carts[1].count is "two"; it must be a number'],
  },
  {
    name: 'a decimal of 1e16',
    record: cart({ price: raw('1e16') }),
    problems: [
      'range line 3: carts[1].price is 1e16; it must be a number or null from -1000000000000000 to 1000000000000000, in at most 30 characters, with an exponent from -30 to 30 if any',
    ],
  },
  {
    name: 'a decimal of 31 characters',
    record: cart({ price: raw(`0.${'1'.repeat(29)}`) }),
    problems: [
      `range line 3: carts[1].price is 0.${'1'.repeat(29)}; it must be a number or null from -1000000000000000 to 1000000000000000, in at most 30 characters, with an exponent from -30 to 30 if any`,
    ],
  },
  ...['1e400', '0e999999999', '1e-999999999'].map(number => ({
    name: `a decimal of ${number}`,
    record: cart({ price: raw(number) }),
    problems: [
      `range line 3: carts[1].price is ${number}; it must be a number or null from -1000000000000000 to 1000000000000000, in at most 30 characters, with an exponent from -30 to 30 if any`,
    ],
  })),
  {
    name: 'a quantity above a billion',
    record: cart({ count: 1_000_000_001 }),
    problems: [
      'range line 3: carts[1].count is 1000000001; it must be a number from -1000000000 to 1000000000, in at most 30 characters, with an exponent from -30 to 30 if any',
    ],
  },

  // Text.
  {
    name: 'text that is a number',
    record: sampleOrder({ device_name: 5 }),
    problems: ['type line 3: device_name is 5; it must be text or null'],
  },
  {
    name: 'an empty order id',
    record: sampleOrder({ id: '' }),
    problems: ['length line 3: id is ""; it must be text of 1 to 255 characters'],
  },
  {
    name: 'an order id of 256 characters',
    record: sampleOrder({ id: 'x'.repeat(256) }),
    problems: [`length line 3: id is "${'x'.repeat(59)}…"; it must be text of 1 to 255 characters`],
  },
  {
    name: 'text of 4001 characters',
    record: sampleOrder({ device_sn: 'é'.repeat(4001) }),
    problems: [
      `length line 3: device_sn is "${'é'.repeat(59)}…"; it must be text or null of 0 to 4000 characters`,
    ],
  },
  {
    name: 'text with a NUL',
    record: sampleOrder({ id: 'a\0b' }),
    problems: ['unicode line 3: id is "a\\u0000b"; it must be text in well-formed Unicode without U+0000'],
  },
  {
    name: 'text with half a surrogate pair',
    record: sampleOrder({ id: '\ud83d' }),
    problems: ['unicode line 3: id is "\\ud83d"; it must be text in well-formed Unicode without U+0000'],
  },

  // Times.
  ...[
    '2026-02-30 00:00:00',
    '2026-13-01 00:00:00',
    '2026-11-01T09:00:00',
    '2026-11-01 24:00:00',
    '2026-11-01 09:60:00',
    '2026-11-01 09:00:60',
    '2026-11-01',
    '2026-11-01 09:00:00Z',
    '2026-11-01 9:00:00',
    '0000-01-01 00:00:00',
    ' 2026-11-01 09:00:00',
    '2026/11/01 09:00:00',
    '',
    '２026-11-01 09:00:00',
  ].map(value => ({
    name: `the time ${JSON.stringify(value)}`,
    record: sampleOrder({ created_at: value }),
    problems: [`datetime line 3: created_at is "${value}"; it must be ${time}`],
  })),
  {
    name: 'a time that is a number',
    record: sampleOrder({ paid_at: 1793525400 }),
    problems: [`type line 3: paid_at is 1793525400; it must be ${time} or null`],
  },
  {
    name: 'an item’s time that does not exist',
    record: sampleItem({ updated_at: '2025-02-29 00:00:00' }),
    problems: [`datetime line 3: updated_at is "2025-02-29 00:00:00"; it must be ${time}`],
  },

  // Stores.
  ...['Mars/Olympus', '+10:00', 'australia/sydney', 'Australia/sydney', 'utc'].map(zone => ({
    name: `the time zone ${zone}`,
    record: sampleStore({ timezone: zone }),
    problems: [`timezone line 3: timezone is "${zone}"; it must be a name of the IANA time zone database`],
  })),
  ...['owner', '@', 'a b@c', ''].map(merchant => ({
    name: `the merchant ${JSON.stringify(merchant)}`,
    record: sampleStore({ merchant }),
    problems: [`email line 3: merchant is "${merchant}"; it must be an email address or null`],
  })),
]
