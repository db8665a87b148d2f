import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OrderRecord } from '../../src/contract/record.ts'
import { demoRecords } from '../../src/demo/records.ts'
import { reconcile } from './totals.ts'

const end = 1_794_708_000 // 2026-11-15 02:00:00 UTC

function* ordersOf(seed: number, orders: number, stores = 6): Generator<OrderRecord> {
  for (const record of demoRecords({ stores, orders, days: 90, seed, end })) {
    if (record.kind === 'order') yield record
  }
}

/** reconcile takes an order as it is listed, where updated_at is never null. */
const check = (order: OrderRecord): string[] =>
  reconcile({ ...order, updated_at: order.updated_at ?? order.created_at })

describe('the totals of every demo order add up', () => {
  for (const seed of [1, 2, 3, 42, 4_294_967_297]) {
    test(`seed ${seed}`, () => {
      for (const order of ordersOf(seed, 6000)) {
        assert.deepEqual(check(order), [], JSON.stringify(order))
      }
    })
  }

  test('every count × price has whole cents, so a person can add up an order without rounding', () => {
    for (const order of ordersOf(7, 3000)) {
      for (const { price, count } of order.carts) {
        const thousandths = (price ?? 0) * Math.round(count * 1000)
        assert.equal(thousandths % 1000, 0, `${price} × ${count}`)
      }
    }
  })

  test('no decimal has more than two places, no count more than three', () => {
    const places = (value: number | null) => String(value ?? 0).split('.')[1]?.length ?? 0
    for (const order of ordersOf(8, 3000)) {
      for (const line of order.carts) {
        for (const value of [
          line.price,
          line.discount,
          line.net_price,
          line.tax_total,
          line.tax_calculated,
        ]) {
          assert.ok(places(value) <= 2, String(value))
        }
        assert.ok(places(line.count) <= 3, String(line.count))
      }
    }
  })
})

describe('reconcile notices a cent anywhere', () => {
  const rich = [...ordersOf(1, 20_000)].find(
    ({ store_id, promotions, tips }) => store_id === 1003 && promotions.length === 2 && (tips ?? 0) > 0,
  )
  assert.ok(rich)
  const spoilt: [what: string, spoil: (order: OrderRecord) => void][] = [
    ['subtotal', order => (order.subtotal = (order.subtotal ?? 0) + 1)],
    ['tax_total', order => (order.tax_total = (order.tax_total ?? 0) + 1)],
    ['tax_calculated', order => (order.tax_calculated = (order.tax_calculated ?? 0) - 1)],
    ['delivery_fee', order => (order.delivery_fee = (order.delivery_fee ?? 0) + 1)],
    ['service_surcharge_fee', order => (order.service_surcharge_fee = 1)],
    ['tips', order => (order.tips = (order.tips ?? 0) + 1)],
    ['rounding', order => (order.rounding = 5)],
    ['a price', order => ((order.carts[0] ?? fail()).price = 1)],
    ['a net_price', order => ((order.carts[0] ?? fail()).net_price = 0.01)],
    ['a discount', order => ((order.carts[0] ?? fail()).discount = 1.5)],
    ['a line’s tax', order => ((order.carts[0] ?? fail()).tax_total = 0.01)],
    ['a line’s tax_calculated', order => ((order.carts[0] ?? fail()).tax_calculated = 0.01)],
    ['a payment', order => ((order.payments[0] ?? fail()).amount += 1)],
    ['a tax', order => ((order.taxes[0] ?? fail()).amount += 1)],
    ['a tax base', order => ((order.taxes[0] ?? fail()).base_subtotal = 1)],
    ['a promotion', order => ((order.promotions[0] ?? fail()).discount_amount += 1)],
    ['a promotion’s item', order => ((order.promotions[0]?.items[0] ?? fail()).discount_amount += 1)],
    ['a promotion’s line', order => ((order.promotions[0]?.items[0] ?? fail()).cart_no = 99)],
  ]
  for (const [what, spoil] of spoilt) {
    test(what, () => {
      const order = structuredClone(rich)
      spoil(order)
      assert.notDeepEqual(check(order), [])
    })
  }
})

function fail(): never {
  throw new Error('the order under test lacks this part')
}
