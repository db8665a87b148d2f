import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { beforeDatabase } from '../helpers/engine.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { problemOf } from '../helpers/problem.ts'
import { at, day, items, orders, sales, startWorld, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.push(sampleItem(), sampleOrder())
})

after(() => world.close())

const notDatetimes = [
  '',
  ' ',
  '2026-11-01',
  '2026-11-01 09:30',
  '2026-11-01T09:30:00',
  '2026-11-01 09:30:00Z',
  '2026-11-01 09:30:00+00:00',
  '2026-11-01 09:30:00.000',
  '2026-11-01  09:30:00',
  ' 2026-11-01 09:30:00',
  '2026-11-01 09:30:00 ',
  '2026-11-01 09:30:00\n',
  '2026-11-1 09:30:00',
  '2026-1-01 09:30:00',
  '26-11-01 09:30:00',
  '02026-11-01 09:30:00',
  '-2026-11-01 09:30:00',
  '+002026-11-01 09:30:00',
  '2026-11-01 9:30:00',
  '2026/11/01 09:30:00',
  '2026-11-01 09.30.00',
  '01-11-2026 09:30:00',
  '2026-02-30 00:00:00',
  '2026-02-29 00:00:00',
  '2100-02-29 00:00:00',
  '2026-04-31 00:00:00',
  '2026-00-01 00:00:00',
  '2026-13-01 00:00:00',
  '2026-11-00 00:00:00',
  '2026-11-32 00:00:00',
  '2026-11-01 24:00:00',
  '2026-11-01 23:60:00',
  '2026-11-01 23:59:60',
  '2026-11-01 -1:00:00',
  '0000-01-01 00:00:00',
  '٢٠٢٦-11-01 00:00:00',
  '1793534400',
  'now',
]

const datetimeFields = [
  ...[orders, sales].flatMap(path => ['start_date', 'end_date'].map(field => ({ path, field, query: day }))),
  { path: items, field: 'updated_after', query: { store_id: 1001 } },
]

for (const { path, query, field } of datetimeFields) {
  const title = `spec 4, design: ${field} of ${path} is a real UTC time as yyyy-MM-dd HH:mm:ss`
  describe(title, { skip: beforeDatabase }, () => {
    for (const value of notDatetimes) {
      test(`${JSON.stringify(value)} is 422`, async () => {
        const { code, message } = await problemOf(world, path, query, field, value)
        assert.equal(code, 'not_a_datetime')
        assert.match(message, /yyyy-MM-dd HH:mm:ss/)
      })
    }
  })
}

describe('design: a space in a parameter', () => {
  for (const space of ['+', '%20']) {
    test(`${space} is a space`, async () => {
      const text = `store_id=1001&start_date=2026-11-01${space}09:30:00&end_date=2026-11-01${space}09:30:00`
      assert.equal((await world.list(orders, text)).length, 1)
      assert.equal((await world.list(sales, text)).length, 1)
      const after = `store_id=1001&updated_after=2026-11-01${space}08:59:59`
      assert.equal((await world.list(items, after)).length, 1)
    })
  }

  test('colons may be encoded', async () => {
    const text = 'store_id=1001&start_date=2026-11-01%2009%3A30%3A00&end_date=2026%2D11%2D01%2009%3A30%3A00'
    assert.equal((await world.list(orders, text)).length, 1)
  })
})

describe('design: the whole calendar is readable, years 0001 to 9999', () => {
  const moments = [
    '0001-01-01 00:00:00',
    '0026-11-01 09:30:00',
    '1969-12-31 23:59:59',
    '1970-01-01 00:00:00',
    '2000-02-29 12:00:00',
    '2024-02-29 23:59:59',
    '2038-01-19 03:14:08',
    '9999-12-31 23:59:59',
  ]
  for (const moment of moments) {
    test(`an order and an item of ${moment} are found at that second`, async () => {
      // A change from the future is refused; an order that is created for a later time is not.
      const updated_at = moment < at(0) ? moment : at(0)
      await world.push(
        sampleOrder({ id: moment, created_at: moment, updated_at }),
        sampleItem({ id: moments.indexOf(moment) + 100, updated_at }),
      )
      const window = { store_id: 1001, start_date: moment, end_date: moment }
      assert.deepEqual(
        (await world.list(orders, window)).map(order => [order.id, order.created_at]),
        [[moment, moment]],
      )
      assert.equal((await world.list(sales, window)).length, 1)
      const later = await world.list(items, { store_id: 1001, updated_after: moment })
      assert.ok(!later.some(({ id }) => id === moments.indexOf(moment) + 100))
    })
  }
})
