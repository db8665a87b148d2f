import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { at, errorOf, items, orders, sales, startWorld, stores, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.push(sampleItem(), sampleOrder({ created_at: at(0) }))
})

after(() => world.close())

const window = { store_id: 1001, start_date: at(0), end_date: at(60) }

describe('spec 8: count maximum of the order list, 2000', () => {
  for (const count of [1, 100, 1999, 2000]) {
    test(`${count} is honoured`, async () => {
      assert.equal((await world.list(orders, { ...window, count })).length, 1)
    })
  }

  for (const count of [2001, 5000, 2_147_483_647, 2_147_483_648, 2n ** 63n - 1n, 2n ** 63n, 10n ** 30n]) {
    test(`design: ${count} is 422 count_too_large, never clamped`, async () => {
      const answer = await world.read(orders, { ...window, count: String(count) })
      const { code, message, details } = errorOf(answer)
      assert.deepEqual([answer.status, code], [422, 'count_too_large'])
      assert.deepEqual(
        details.map(detail => [detail.field, detail.code]),
        [['count', 'count_too_large']],
      )
      assert.ok(message.includes(String(count)) && message.includes('2000'), message)
    })
  }

  for (const [count, rule] of [
    ['-99999999999999999999', 'out_of_range'],
    ['099999999999999999999', 'not_an_integer'],
    ['99999999999999999999.0', 'not_an_integer'],
  ] as const) {
    test(`${count} is not too large, but ${rule}`, async () => {
      const answer = await world.read(orders, { ...window, count })
      assert.equal(answer.status, 422)
      assert.deepEqual(
        errorOf(answer).details.map(detail => [detail.field, detail.code]),
        [['count', rule]],
      )
    })
  }

  test('a list without a limit of its own: beyond int32 is out of range', async () => {
    for (const count of ['2147483648', '99999999999999999999']) {
      const answer = await world.read(items, { store_id: 1001, count })
      assert.deepEqual(
        errorOf(answer).details.map(detail => [detail.field, detail.code]),
        [['count', 'out_of_range']],
      )
    }
  })

  for (const { path, query } of [
    { path: stores, query: {} },
    { path: items, query: { store_id: 1001 } },
    { path: sales, query: window },
  ]) {
    for (const count of [2001, 2_147_483_647]) {
      test(`design: it is the order list’s alone: ${path} takes ${count}`, async () => {
        assert.equal((await world.list(path, { ...query, count })).length, 1)
      })
    }
    test(`design: beyond int32 it is 422: ${path}`, async () => {
      const answer = await world.read(path, { ...query, count: 2_147_483_648 })
      assert.equal(answer.status, 422)
      assert.match(errorOf(answer).message, /2147483648.*2147483647/)
    })
  }
})

describe('spec 8: the window of the order list, at most 2 days', () => {
  const starts = [
    at(0),
    '2026-02-28 00:00:00',
    '2024-02-28 12:34:56',
    '2026-12-30 23:59:59',
    '1969-12-31 00:00:00',
  ]
  const plus = (moment: string, seconds: number) =>
    new Date(Date.parse(`${moment.replace(' ', 'T')}Z`) + seconds * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ')

  for (const start_date of starts) {
    test(`172800 s from ${start_date} is 200`, async () => {
      const query = { store_id: 1001, start_date, end_date: plus(start_date, 172_800) }
      assert.equal((await world.read(orders, query)).status, 200)
    })
    test(`design: 172801 s from ${start_date} is 422 window_too_long`, async () => {
      const answer = await world.read(orders, {
        store_id: 1001,
        start_date,
        end_date: plus(start_date, 172_801),
      })
      const { code, message, details } = errorOf(answer)
      assert.deepEqual([answer.status, code], [422, 'window_too_long'])
      assert.equal(details.length, 1)
      assert.ok(message.includes('172801') && message.includes('172800'), message)
    })
  }

  for (const date_field of ['created_at', 'updated_at', 'paid_at']) {
    test(`it holds for date_field=${date_field}`, async () => {
      const query = { store_id: 1001, date_field, start_date: at(0) }
      assert.equal((await world.read(orders, { ...query, end_date: at(172_800) })).status, 200)
      assert.equal((await world.read(orders, { ...query, end_date: at(172_801) })).status, 422)
    })
  }

  test('an order at each end of the longest window is in it', async () => {
    await world.push(
      sampleOrder({ id: 'first', created_at: at(400_000) }),
      sampleOrder({ id: 'last', created_at: at(572_800) }),
    )
    const found = await world.list(orders, { store_id: 1001, start_date: at(400_000), end_date: at(572_800) })
    assert.deepEqual(
      found.map(({ id }) => id),
      ['first', 'last'],
    )
  })

  test('design: it is the order list’s alone: a sales window of years is 200', async () => {
    const years = { store_id: 1001, start_date: '2020-01-01 00:00:00', end_date: '2030-01-01 00:00:00' }
    assert.equal((await world.read(sales, years)).status, 200)
  })
})

test('spec 8: count and index left out are 100 and 0 for all lists (2.2-paging walks through them)', async () => {
  await world.push(...Array.from({ length: 101 }, (_, i) => sampleItem({ id: 1000 + i })))
  assert.equal((await world.list(items, { store_id: 1001 })).length, 100)
  assert.deepEqual(
    await world.list(items, { store_id: 1001 }),
    await world.list(items, { store_id: 1001, index: 0, count: 100 }),
  )
})

test('spec 8: access token lifetime is 172800 seconds', async () => {
  const { json } = await world.server.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    ...world.reader,
  })
  assert.equal(json.expires_in, 172_800)
})
