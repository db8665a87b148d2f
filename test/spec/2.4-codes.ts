import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleOrder } from '../helpers/orders.ts'
import { changed, partOf, pathOf } from '../helpers/spec-fields.ts'
import { at, errorOf, orders, startWorld, type World } from '../helpers/world.ts'

/** The code tables of the spec, copied by hand. */
const sources: Record<number, string> = {
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
  53: 'Third-party delivery platform (first of three)',
  54: 'Third-party delivery platform (second of three)',
  55: 'Third-party delivery platform (third of three)',
}
const fulfillments: Record<number, string> = {
  1: 'Dine In',
  2: 'Table Service',
  3: 'Take Away',
  4: 'Delivery',
  5: 'Third Party',
}
const itemTypes = [2, 21, 22, 101, 102]
const platforms = [0, 1, 2, 3, 4, 6, 7, 9, 41, 42, 43, 44, 45, 46, 47, 48, 49, 100, 101, 102]

const tables = [
  { section: '3.1', where: '', field: 'status', codes: [2, 3, 11] },
  { section: '2.4.1', where: '', field: 'source_type', codes: Object.keys(sources).map(Number) },
  { section: '2.4.2', where: '', field: 'fulfillment_type', codes: Object.keys(fulfillments).map(Number) },
  { section: '2.4.3', where: 'carts', field: 'type', codes: itemTypes },
  { section: '2.4.3', where: 'carts', field: 'unit_type', codes: [0, 1, 5, 11, 15] },
  { section: '2.4.5', where: 'payments', field: 'type', codes: [1, 2, 3, 6, 8, 20, 22, 23, 26] },
  { section: '2.4.5', where: 'payments', field: 'platform', codes: platforms },
  { section: '2.4.6', where: 'promotions', field: 'type', codes: [20, 21, 22, 23, 24, 25] },
  { section: '2.4.6', where: 'promotions.items', field: 'type', codes: itemTypes },
]

let world: World
let second = 0

before(async () => {
  world = await startWorld()
})

after(() => world.close())

/** What the list holds of an order with these changes. */
async function listed(order: object): Promise<any> {
  const moment = at(++second)
  await world.push({ ...order, id: moment, created_at: moment, updated_at: moment })
  const found = await world.list(orders, { store_id: 1001, start_date: moment, end_date: moment })
  assert.equal(found.length, 1)
  return found[0]
}

for (const { section, where, field, codes } of tables) {
  const path = pathOf(where, field)

  describe(`spec ${section}: ${path}`, () => {
    for (const code of codes) {
      test(`code ${code} goes through`, async () => {
        const order = await listed(changed(sampleOrder(), where, { [field]: code }))
        assert.equal(partOf(order, where)[field], code)
      })
    }

    test('every int8 that is not in the table is refused', async () => {
      const others = Array.from({ length: 256 }, (_, i) => i - 128).filter(code => !codes.includes(code))
      const lines = others.map(code => changed(sampleOrder({ id: `code ${code}` }), where, { [field]: code }))
      const answer = await world.write(...lines)
      assert.equal(answer.status, 422)
      assert.deepEqual(
        errorOf(answer).details.map(detail => [detail.line, detail.field, detail.code]),
        others.map((_, i) => [i + 1, path, 'code']),
      )
    })

    for (const code of [2 ** 31, -(2 ** 31), 258, 1.5, String(codes[0]), true, []]) {
      test(`${JSON.stringify(code)} is refused`, async () => {
        const answer = await world.write(changed(sampleOrder({ id: 'x' }), where, { [field]: code }))
        assert.equal(answer.status, 422)
        const [detail] = errorOf(answer).details
        assert.equal(detail?.field, path)
        assert.ok(detail.message.includes(codes.join(', ')), detail.message)
      })
    }
  })
}

const labels = [
  { section: '2.4.1', code: 'source_type', label: 'source', table: sources },
  { section: '2.4.2', code: 'fulfillment_type', label: 'fulfillment', table: fulfillments },
]

for (const { section, code, label, table } of labels) {
  describe(`spec ${section}: ${label} is the label matching ${code}`, () => {
    for (const [value, name] of Object.entries(table)) {
      test(`${value} is ${name}`, async () => {
        const order = await listed(sampleOrder({ [code]: Number(value), [label]: undefined }))
        assert.equal(order[label], name)
      })
    }

    test('a label that does not match its code is put right', async () => {
      const order = await listed(sampleOrder({ [code]: 2, [label]: 'Something else' }))
      assert.equal(order[label], table[2])
    })

    test('no code, no label', async () => {
      const order = await listed(sampleOrder({ [code]: null, [label]: 'Something else' }))
      assert.deepEqual([order[code], order[label]], [null, null])
    })
  })
}

describe('spec 2.4: a code that an order cannot do without is refused when it is null or left out', () => {
  const needed = tables.filter(({ where, field }) => field === 'type' || (where === '' && field === 'status'))
  for (const { where, field } of needed) {
    for (const value of [null, undefined]) {
      test(`${pathOf(where, field)}: ${value}`, async () => {
        const answer = await world.write(changed(sampleOrder({ id: 'x' }), where, { [field]: value }))
        assert.equal(answer.status, 422)
        assert.equal(errorOf(answer).details[0]?.field, pathOf(where, field))
      })
    }
  }
})
