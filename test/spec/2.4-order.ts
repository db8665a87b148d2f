import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleOrder } from '../helpers/orders.ts'
import { cartFields, orderFields, partOf, parts, taxFields } from '../helpers/spec-fields.ts'
import { day, orders, startWorld, type World } from '../helpers/world.ts'

let world: World
let used = 0

before(async () => {
  world = await startWorld()
})

after(() => world.close())

const known = new Map<object, Promise<any>>()

/** Of the same order once: many tests look at one field of it each. */
function roundTrip(order: object): Promise<any> {
  const found = known.get(order) ?? pushAndList(order)
  known.set(order, found)
  return found
}

/** Pushes the order under an id of its own, and answers what the list then holds of it. */
async function pushAndList(order: object): Promise<any> {
  const id = `round-trip-${++used}`
  await world.push({ ...order, id })
  const listed = (await world.list(orders, { ...day, count: 2000 })).filter(order => order.id === id)
  assert.equal(listed.length, 1)
  return listed[0]
}

const minimal = { kind: 'order', id: 'm', status: 2, created_at: '2026-11-01 10:00:00', store_id: 1001 }

/** No two values alike, so that no field can be taken for another. */
const distinct = sampleOrder({
  parent_id: 'parent',
  order_number: 'N-17',
  status: 11,
  created_at: '2026-11-01 10:00:01',
  updated_at: '2026-11-01 10:00:02',
  scheduled_at: '2026-11-01 10:00:03',
  paid_at: '2026-11-01 10:00:04',
  status_time: '2026-11-01 10:00:05',
  pay_time: '2026-11-01 10:00:06',
  source_type: 42,
  source: 'Online Pre-Order',
  fulfillment_type: 4,
  fulfillment: 'Delivery',
  device_id: 70,
  device_register_id: 71,
  device_name: 'Bar till',
  device_sn: 'SN-72',
  delivery_fee: 73,
  service_surcharge_fee: 74,
  rounding: -75,
  subtotal: 76,
  tax_total: 77,
  tax_calculated: 78,
  tips: 79,
  carts: [
    {
      type: 101,
      tid: 80,
      group_no: 81,
      serial_no: 82,
      menu_id: 83,
      name: 'Set lunch',
      code: 'SL',
      unit_type: 5,
      price: 84.5,
      discount: 85.25,
      net_price: 86.125,
      count: 0.375,
      tax_total: 87.5,
      tax_calculated: 88.5,
    },
  ],
  taxes: [{ amount: 89.5, rate: 0.0825, name: 'VAT', base_subtotal: 90 }],
  payments: [{ type: 26, platform: 100, amount: 91, surcharge: 92, name: 'Gift', reference: 'G-93' }],
  promotions: [
    {
      type: 25,
      discount_amount: 94,
      name: 'Promo',
      reference: 'P-95',
      items: [{ type: 102, cart_no: 96, discount_amount: 97 }],
    },
  ],
})

for (const { section, where, fields } of parts) {
  describe(`spec ${section}: the fields of ${where || 'an order'}`, () => {
    test('design: all are there, in the spec’s order, and no other', async () => {
      const part = partOf(await roundTrip(distinct), where)
      assert.deepEqual(Object.keys(part), Object.keys(fields))
    })

    for (const field of Object.keys(fields).filter(field => where !== '' || field !== 'id')) {
      test(`${field} is what the platform sent`, async () => {
        const part = partOf(await roundTrip(distinct), where)
        assert.deepEqual(part[field], partOf(distinct, where)[field])
      })
    }
  })
}

describe('design: null fields', () => {
  test('an order of which only the needed fields were sent has every key, in the spec’s order', async () => {
    const order = await roundTrip(minimal)
    assert.deepEqual(Object.keys(order), Object.keys(orderFields))
  })

  const needed = new Set(['id', 'status', 'created_at', 'updated_at', 'store_id'])
  for (const [field, type] of Object.entries(orderFields)) {
    if (needed.has(field)) continue
    const empty = type === 'array' ? [] : null
    test(`${field} that was left out is ${JSON.stringify(empty)}`, async () => {
      assert.deepEqual((await roundTrip(minimal))[field], empty)
    })
    // A label is its code's, whatever is sent (spec 2.4.1, 2.4.2 in 2.4-codes).
    if (type === 'label') continue
    test(`${field} that was sent as null is ${JSON.stringify(empty)}`, async () => {
      assert.deepEqual((await roundTrip({ ...distinct, [field]: null }))[field], empty)
    })
  }

  test('updated_at that was left out is created_at', async () => {
    assert.equal((await roundTrip(minimal)).updated_at, minimal.created_at)
  })

  test('a cart line has every key too; what was left out is null', async () => {
    const { carts } = await roundTrip({ ...minimal, carts: [{ type: 2, count: 1 }] })
    const expected = Object.keys(cartFields).map(name => [name, { type: 2, count: 1 }[name] ?? null])
    assert.deepEqual(Object.entries(carts[0]), expected)
  })

  test('a tax has every key too', async () => {
    const { taxes } = await roundTrip({ ...minimal, taxes: [{ amount: 5 }] })
    const expected = Object.keys(taxFields).map(name => [name, name === 'amount' ? 5 : null])
    assert.deepEqual(Object.entries(taxes[0]), expected)
  })

  test('spec 2.4.6: items of an order-level promotion is an empty list, also when it was left out', async () => {
    const promotions = [
      { type: 21, discount_amount: 5, items: [] },
      { type: 21, discount_amount: 5 },
      { type: 21, discount_amount: 5, items: null },
    ]
    const order = await roundTrip({ ...minimal, promotions })
    assert.deepEqual(
      order.promotions.map((promotion: any) => promotion.items),
      [[], [], []],
    )
  })
})

test('design: the keys come in the spec’s order however the platform ordered them', async () => {
  const { kind, ...rest } = distinct
  const reversed = { ...Object.fromEntries(Object.entries(rest).toReversed()), kind }
  assert.deepEqual(Object.keys(await roundTrip(reversed)), Object.keys(orderFields))
})

test('spec 2.4: lists keep the order and the number of their elements', async () => {
  const carts = Array.from({ length: 40 }, (_, i) => ({ type: 2, tid: 40 - i, count: 1, name: `line ${i}` }))
  const order = await roundTrip({ ...minimal, carts })
  assert.deepEqual(
    order.carts.map(({ tid, name }: any) => [tid, name]),
    carts.map(({ tid, name }) => [tid, name]),
  )
})

test('design: shipping is always null', async () => {
  assert.equal((await roundTrip({ ...minimal, shipping: null })).shipping, null)
  assert.equal((await world.write({ ...minimal, shipping: { fee: 1 } })).status, 422)
})

test('spec 4.3: an order that was read can be pushed back as it is, and nothing changes', async () => {
  const order = await roundTrip(distinct)
  const answer = await world.write({ kind: 'order', ...order })
  assert.deepEqual(answer.json.data, { stores: 0, items: 0, orders: 0, unchanged: 1, stale: 0 })
})
