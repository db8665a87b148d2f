import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
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

/** The one detail of a request in which this parameter alone is bad. */
async function problemOf(path: string, query: object, field: string, value: string) {
  const answer = await world.read(path, { ...query, [field]: value })
  assert.equal(answer.status, 422, answer.text)
  const { code, message, details } = errorOf(answer)
  assert.equal(code, 'parameter_invalid')
  assert.equal(details.length, 1, answer.text)
  assert.equal(message, details[0]?.message)
  assert.equal(details[0]?.field, field)
  return details[0]
}

const integerFields = [
  ...lists.flatMap(({ path, query }) => ['index', 'count'].map(field => ({ path, query, field }))),
  ...lists.slice(1).map(({ path, query }) => ({ path, query, field: 'store_id' })),
]

for (const { path, query, field } of integerFields) {
  describe(`design: ${field} of ${path} is strict`, () => {
    for (const value of notIntegers) {
      test(`${JSON.stringify(value)} is 422`, async () => {
        const problem = await problemOf(path, query, field, value)
        assert.equal(problem?.code, 'not_an_integer')
        assert.ok(problem.message.includes(JSON.stringify(value)), problem.message)
      })
    }
  })
}

const datetimeFields = [
  ...[orders, sales].flatMap(path => ['start_date', 'end_date'].map(field => ({ path, field, query: day }))),
  { path: items, field: 'updated_after', query: { store_id: 1001 } },
]

for (const { path, query, field } of datetimeFields) {
  describe(`spec 4, design: ${field} of ${path} is a real UTC time as yyyy-MM-dd HH:mm:ss`, () => {
    for (const value of notDatetimes) {
      test(`${JSON.stringify(value)} is 422`, async () => {
        const problem = await problemOf(path, query, field, value)
        assert.equal(problem?.code, 'not_a_datetime')
        assert.ok(problem.message.includes(JSON.stringify(value)), problem.message)
        assert.match(problem.message, /yyyy-MM-dd HH:mm:ss/)
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
    const text =
      'store_id=1001&start_date=2026-11-01%2009%3A30%3A00&end_date=2026%2D11%2D01%2009%3A30%3A00'
    assert.equal((await world.list(orders, text)).length, 1)
  })
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

test('design: a window that is too long is told beside a bad count', async () => {
  const { code, details } = errorOf(
    await world.read(orders, { ...day, end_date: '2026-12-01 00:00:00', count: 0 }),
  )
  assert.equal(code, 'parameter_invalid')
  assert.deepEqual(details.map(({ code }) => code).toSorted(), ['out_of_range', 'window_too_long'])
})
