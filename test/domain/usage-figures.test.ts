import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createIngestFigures } from '../../src/domain/usage/ingest.ts'
import { type ActivityPlace, createReadFigures } from '../../src/domain/usage/reads.ts'
import { createUsageRecorder, type UsageRecorder } from '../../src/domain/usage/recorder.ts'
import { createRequestFigures } from '../../src/domain/usage/requests.ts'
import { allApps, type LoggedRequest, type Storage } from '../../src/storage/port/index.ts'
import { testClock } from '../helpers/clock.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

/** The figures as pages ask for them, of what a recorder recorded and did not flush yet. */

const hour = 3600
const day = 86_400
const noon = 1_793_534_400
const today = noon - 12 * hour

const clock = testClock(noon)
let storage: Storage
let recorder: UsageRecorder
let reads: ReturnType<typeof createReadFigures>
let requests: ReturnType<typeof createRequestFigures>
let ingest: ReturnType<typeof createIngestFigures>

beforeEach(async () => {
  clock.set(noon)
  storage = await openStorage(await emptyDatabase())
  recorder = createUsageRecorder({ storage, clock, repeat: () => ({ stop() {} }) })
  const deps = { storage, clock, recorder }
  reads = createReadFigures(deps)
  requests = createRequestFigures(deps)
  ingest = createIngestFigures(deps)
})
afterEach(() => storage.close())

const read = (app_id: string, store_id: bigint, orders: number) =>
  recorder.read({ app_id, store_id, kind: 'orders', rows: orders })

let made = 0
const request = (over: Partial<LoggedRequest> = {}): string => {
  const request_id = `request${made++}`
  recorder.request({
    app_id: 'a',
    at_ms: 0,
    request_id,
    method: 'GET',
    endpoint: 'GET /integration/v1/orders',
    status: 200,
    error_code: null,
    milliseconds: 1.5,
    store_id: null,
    query: null,
    problem: null,
    ...over,
  })
  return request_id
}

test('reads by day have every day, the current one last', async () => {
  clock.set(noon - 2 * day)
  read('a', 1n, 5)
  clock.set(noon)
  read('a', 1n, 1)
  recorder.read({ app_id: 'a', store_id: 1n, kind: 'items', rows: 7 })
  const days = await reads.byDay([1n], 'a', 4)
  const none = { requests: 0, orders: 0, items: 0, sales: 0 }
  assert.deepEqual(days, [
    { day: today - 3 * day, ...none },
    { day: today - 2 * day, ...none, requests: 1, orders: 5 },
    { day: today - day, ...none },
    { day: today, ...none, requests: 2, orders: 1, items: 7 },
  ])
})

test('the 30th day back is in a chart of 30 days, the 31st is not', async () => {
  for (const back of [30, 29]) {
    clock.set(noon - back * day)
    read('a', 1n, back)
  }
  clock.set(noon)
  const days = await reads.byDay([1n], 'a', 30)
  assert.equal(days.length, 30)
  assert.equal(
    days.reduce((sum, { orders }) => sum + orders, 0),
    29,
  )
})

test('reads are grouped by store and by app, for the requested stores only', async () => {
  read('a', 1n, 1)
  read('a', 2n, 2)
  read('b', 2n, 4)
  read('b', 3n, 800)
  const byStore = await reads.byDayAndStore([1n, 2n, 9n], null, 1)
  assert.deepEqual(
    [...byStore].map(([id, [first]]) => [id, first?.orders]),
    [
      [1n, 1],
      [2n, 6],
      [9n, 0],
    ],
  )
  const byApp = await reads.byDayAndApp([1n, 2n], 2)
  for (const [id, { orders }] of await reads.byApp([1n, 2n]))
    assert.equal(
      orders,
      byApp.get(id)?.reduce((sum, day) => sum + day.orders, 0),
    )
  assert.deepEqual(
    [...byApp].map(([id, days]) => [id, days.map(({ orders }) => orders)]),
    [
      ['a', [0, 3]],
      ['b', [0, 4]],
    ],
  )
  assert.deepEqual((await reads.byDay([2n], 'a', 1))[0]?.orders, 2)
})

test('what each app read, and when it last read each store, is kept, however long ago', async () => {
  clock.set(noon - 900 * day)
  read('old', 1n, 1)
  clock.set(noon)
  read('a', 1n, 1)
  clock.advance(60)
  read('a', 2n, 0)
  read('a', 3n, 0)
  await recorder.flush()
  await storage.purge(clock.now())
  const byApp = await reads.byApp([1n, 2n])
  assert.deepEqual(
    [...byApp].map(([id, { orders, last_at }]) => [id, orders, last_at]),
    [
      ['a', 1, noon + 60],
      ['old', 1, noon - 900 * day],
    ],
  )
  assert.deepEqual(
    [...(await reads.last([1n, 2n, 9n], 'a'))],
    [
      [1n, noon],
      [2n, noon + 60],
    ],
  )
})

test('activity is read back page by page, over gaps of weeks, each row once', async () => {
  const hours = [0, 1, 2, 30, 31, 24 * 20, 24 * 34]
  for (const back of hours) {
    clock.set(noon - back * hour + 5)
    for (const store_id of [2n, 1n]) read('a', store_id, back)
    read('b', 1n, back)
    read('b', 9n, back)
  }
  clock.set(noon + 5)
  for (const limit of [1, 4, 5, 100]) {
    const seen: unknown[] = []
    for (let after: ActivityPlace | null = null; ; ) {
      const page = await reads.activity([1n, 2n], null, after, limit)
      seen.push(...page.rows.map(row => [(noon - row.bucket) / hour, row.store_id, row.app_id, row.orders]))
      after = page.next
      if (!after) break
      assert.equal(page.rows.length, limit)
    }
    assert.deepEqual(
      seen,
      hours.flatMap(back => [
        [back, 1n, 'a', back],
        [back, 1n, 'b', back],
        [back, 2n, 'a', back],
      ]),
      `pages of ${limit}`,
    )
  }
  const ofB = await reads.activity([1n, 2n], 'b', null, 100)
  assert.equal(ofB.rows.length, hours.length)
  assert.equal(ofB.rows[0]?.last_at, noon + 5)
  assert.deepEqual(await reads.activity([], null, null, 10), { rows: [], next: null })
})

test('an app’s chart has every hour, errors and percentiles; a total over all', async () => {
  clock.set(noon - 3 * hour)
  for (let i = 0; i < 99; i++) request({ milliseconds: 1.5 })
  request({ milliseconds: 400, status: 503 })
  clock.set(noon)
  request({ status: 404 })
  request({ app_id: 'b' })
  request({ app_id: '' })
  const chart = await requests.byHour('a', 4)
  assert.deepEqual(
    chart.points.map(({ at, requests }) => [(at - noon) / hour, requests]),
    [
      [-3, 100],
      [-2, 0],
      [-1, 0],
      [0, 1],
    ],
  )
  assert.deepEqual(chart.points[1], {
    at: noon - 2 * hour,
    requests: 0,
    client_errors: 0,
    server_errors: 0,
    p50: null,
    p95: null,
    p99: null,
  })
  const [first] = chart.points
  assert.ok((first?.p50 ?? 0) > 1 && (first?.p50 ?? 0) < 2)
  assert.ok((first?.p99 ?? 0) <= 2)
  const { total } = chart
  assert.deepEqual([total.requests, total.client_errors, total.server_errors], [101, 1, 1])
  assert.ok((total.p99 ?? 0) <= 2, String(total.p99))
  assert.equal((await requests.byDay('a', 30)).points.at(-1)?.requests, 101)
  assert.equal((await requests.byDay(allApps, 30)).total.requests, 103)
  const [ofA] = await requests.busiestApps('hour', 24, 10)
  assert.deepEqual([ofA?.key, ofA?.requests, ofA?.client_errors], ['a', 101, 1])
  assert.equal((await requests.busiestApps('day', 30, 1)).length, 1)
})

test('requests are grouped by endpoint, most requests first', async () => {
  for (let i = 0; i < 3; i++) request({ endpoint: 'POST /auth/v2/token' })
  request()
  const endpoints = await requests.byEndpoint('a', 24)
  assert.deepEqual(
    endpoints.map(({ key, requests }) => [key, requests]),
    [
      ['POST /auth/v2/token', 3],
      ['GET /integration/v1/orders', 1],
    ],
  )
})

test('the table by endpoint adds up to the chart, by hours and by days', async () => {
  // 30 days of UTC begin later than 30 times 24 hours ago.
  for (const ago of [0, 10 * hour, 25 * hour, 29 * day + 11 * hour, 29 * day + 13 * hour]) {
    clock.set(noon - ago)
    request()
  }
  clock.set(noon)
  const sum = (rows: { requests: number }[]) => rows.reduce((total, row) => total + row.requests, 0)
  assert.equal((await requests.byHour('a', 24)).total.requests, 2)
  assert.equal(sum(await requests.byEndpoint('a', 24)), 2)
  assert.equal((await requests.byDay('a', 30)).total.requests, 4)
  assert.equal(sum(await requests.byEndpointOfDays('a', 30)), 4)
})

test('the totals of several apps, including one without requests', async () => {
  request()
  request({ status: 404 })
  request({ app_id: 'b', status: 500 })
  const totals = await requests.totals(['a', 'b', 'c'], 24)
  const told = [...totals].map(([id, one]) => [id, one.requests, one.client_errors, one.server_errors])
  assert.deepEqual(told, [
    ['a', 2, 1, 0],
    ['b', 1, 0, 1],
    ['c', 0, 0, 0],
  ])
  assert.equal(totals.get('c')?.p50, null)
})

test('the log is read page by page, and a request found by its id', async () => {
  const ids = Array.from({ length: 7 }, () => request())
  const failed = request({ status: 422, error_code: 'parameter_invalid', store_id: 5n })
  request({ app_id: 'b' })
  const query = { app_id: 'a', errors_only: false, endpoint: null, limit: 3 }
  const seen: string[] = []
  for (let before: Parameters<typeof requests.log>[0]['before'] = null; ; ) {
    const page = await requests.log({ ...query, before })
    seen.push(...page.entries.map(({ request_id }) => request_id))
    before = page.next
    if (!before) break
  }
  assert.deepEqual(seen, [...ids, failed].toReversed())
  const found = await requests.find('a', failed)
  assert.deepEqual([found?.error_code, found?.store_id, found?.status], ['parameter_invalid', 5n, 422])
  assert.equal(await requests.find('b', failed), null)
})

test('ingest: the records, the age of the newest order, and the newest change', async () => {
  const counts = { stores: 0, items: 1, orders: 2, unchanged: 3, stale: 0 }
  const move = { store_id: 9_007_199_254_740_993n, seq: 17, orders_seq: 17, items_seq: null }
  clock.set(noon - hour)
  recorder.ingested({ counts, newest: clock.now() - 100, moves: [] })
  clock.set(noon + 10)
  recorder.ingested({ counts, newest: clock.now() - 20, moves: [move] })
  recorder.ingested({ counts: { ...counts, orders: 0 }, newest: null, moves: [] })
  const { points, total } = await ingest.byHour(3)
  assert.deepEqual(total, {
    requests: 3,
    stores: 0,
    items: 3,
    orders: 4,
    unchanged: 9,
    last_at: noon + 10,
    lag_last: 20,
    lag_max: 100,
    lag_mean: 60,
    newest_seq: 17,
  })
  assert.deepEqual(
    points.map(({ requests, lag_max, last_at }) => [requests, lag_max, last_at]),
    [
      [0, null, null],
      [1, 100, noon - hour],
      [2, 20, noon + 10],
    ],
  )
  assert.equal((await ingest.byDay(30)).total.requests, 3)
})
