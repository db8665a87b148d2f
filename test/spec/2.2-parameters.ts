import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { problemOf } from '../helpers/problem.ts'
import {
  day,
  errorOf,
  items,
  lists,
  orders,
  sales,
  startWorld,
  stores,
  type World,
  withQuery,
} from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.push(sampleItem(), sampleOrder())
})

after(() => world.close())

const notIntegers = [
  '',
  ' ',
  '1.0',
  '1.5',
  '1e3',
  '1E3',
  '0x1',
  '0b1',
  '+1',
  '-0',
  '007',
  '1_000',
  '1,000',
  ' 1',
  '1 ',
  '\t1',
  '1\n',
  '--1',
  '-',
  'abc',
  'null',
  'true',
  'NaN',
  'Infinity',
  '１',
  '٣',
  '[1]',
  '1n',
]

const integerFields = [
  ...lists.flatMap(({ path, query }) => ['index', 'count'].map(field => ({ path, query, field }))),
  ...lists.slice(1).map(({ path, query }) => ({ path, query, field: 'store_id' })),
]

for (const { path, query, field } of integerFields) {
  describe(`design: ${field} of ${path} is strict`, () => {
    for (const value of notIntegers) {
      test(`${JSON.stringify(value)} is 422`, async () => {
        assert.equal((await problemOf(world, path, query, field, value)).code, 'not_an_integer')
      })
    }
  })
}

describe('design: a parameter that is given twice is 422', () => {
  const repeatable: [path: string, query: string, field: string][] = [
    [stores, 'index=0&index=0', 'index'],
    [stores, 'count=1&count=1', 'count'],
    [orders, `${new URLSearchParams(day as never)}&store_id=1001`, 'store_id'],
    [orders, `${new URLSearchParams(day as never)}&end_date=2026-11-01+23:59:59`, 'end_date'],
    [orders, `${new URLSearchParams(day as never)}&date_field=paid_at&date_field=paid_at`, 'date_field'],
    [items, 'store_id=1001&store_id=1001', 'store_id'],
    [sales, `${new URLSearchParams(day as never)}&start_date=2026-11-01+00:00:00`, 'start_date'],
  ]
  for (const [path, query, field] of repeatable) {
    test(`${field} of ${path}`, async () => {
      const { details } = errorOf(await world.read(path, query))
      assert.deepEqual(
        details.map(({ field, code }) => [field, code]),
        [[field, 'repeated']],
      )
    })
  }
})

describe('design: unknown parameters are ignored', () => {
  for (const { path, query } of lists) {
    test(path, async () => {
      const text = `${withQuery('', query).slice(1)}&Count=0&page=x&limit=1&index[]=9&__proto__=1&constructor=1`
      assert.equal((await world.list(path, text)).length, 1)
    })
  }
})

describe('spec 7: a required parameter that is omitted is 422', () => {
  const required = [
    { path: orders, query: day },
    { path: sales, query: day },
    { path: items, query: { store_id: 1001 } },
  ]
  for (const { path, query } of required) {
    for (const field of Object.keys(query)) {
      test(`${field} of ${path}`, async () => {
        const left = Object.fromEntries(Object.entries(query).filter(([name]) => name !== field))
        const { code, details } = errorOf(await world.read(path, left))
        assert.equal(code, 'parameter_invalid')
        assert.deepEqual(details, [{ field, code: 'required', message: `${field} is required` }])
      })
    }
  }
})

test('design: all bad parameters are told at once, each with its value', async () => {
  const query = {
    store_id: 'abc',
    start_date: '2026-02-30 00:00:00',
    end_date: 'later',
    date_field: 'deleted_at',
    index: '-7',
    count: '2001',
  }
  const answer = await world.read(orders, query)
  const { code, message, details } = errorOf(answer)
  assert.deepEqual([answer.status, code], [422, 'parameter_invalid'])
  assert.deepEqual(
    details.map(({ field, code }) => [field, code]),
    [
      ['store_id', 'not_an_integer'],
      ['start_date', 'not_a_datetime'],
      ['end_date', 'not_a_datetime'],
      ['date_field', 'not_allowed'],
      ['index', 'out_of_range'],
      ['count', 'count_too_large'],
    ],
  )
  for (const [field, value] of Object.entries(query)) {
    const detail = details.find(detail => detail.field === field)
    assert.ok(detail?.message.includes(value), `${field}: ${detail?.message}`)
    assert.ok(message.includes(value), `${field} in: ${message}`)
  }
  assert.match(details.find(({ field }) => field === 'count')?.message ?? '', /2000/)
  assert.match(details.find(({ field }) => field === 'index')?.message ?? '', /2147483647/)
})

test('design: a window that is too long is reported together with a bad count', async () => {
  const { code, details } = errorOf(
    await world.read(orders, { ...day, end_date: '2026-12-01 00:00:00', count: 0 }),
  )
  assert.equal(code, 'parameter_invalid')
  assert.deepEqual(details.map(({ code }) => code).toSorted(), ['out_of_range', 'window_too_long'])
})
