import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import type { ReadKind } from '../../src/domain/usage/counters.ts'
import {
  createUsageRecorder,
  type RecorderDeps,
  type UsageRecorder,
} from '../../src/domain/usage/recorder.ts'
import { partsByShard } from '../../src/storage/postgres/usage/parts.ts'
import {
  allApps,
  everSpan,
  type LoggedRequest,
  type Storage,
  StorageUnavailable,
  type UsageBatch,
} from '../../src/storage/port/index.ts'
import { testClock } from '../helpers/clock.ts'
import { emptyDatabase, runs } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

const hour = 3600
const day = 86_400
const noon = 1_793_534_400

const clock = testClock(noon)
let storage: Storage

before(async () => {
  storage = await openStorage(await emptyDatabase())
})
beforeEach(() => clock.set(noon))
after(() => storage.close())

/** Flushes only when the test calls it. */
const byHand = () => ({ stop() {} })

const recorderOn = (usage: Partial<Storage['usage']>, over: Partial<RecorderDeps> = {}): UsageRecorder =>
  createUsageRecorder({ storage: { usage: { ...storage.usage, ...usage } }, clock, repeat: byHand, ...over })

let made = 0
const request = (over: Partial<LoggedRequest> = {}): LoggedRequest => ({
  app_id: 'app',
  at_ms: 0,
  request_id: `request${made++}`,
  method: 'GET',
  endpoint: 'GET /integration/v1/orders',
  status: 200,
  error_code: null,
  milliseconds: 1,
  store_id: null,
  query: null,
  problem: null,
  ...over,
})

/** Keeps what a recorder writes, and fails while `failing` is set. */
function keeping() {
  const batches: UsageBatch[] = []
  const kept = {
    batches,
    failing: false,
    usage: {
      async add(batch: UsageBatch) {
        if (kept.failing) throw new StorageUnavailable('the database is away')
        batches.push(batch)
      },
      async trimLog() {},
    },
    requests: (isCounted: (app_id: string) => boolean) =>
      batches
        .flatMap(({ requests }) => requests)
        .filter(({ width, app_id }) => width === hour && isCounted(app_id))
        .reduce((sum, row) => sum + row.requests, 0),
    /** Of the apps one by one, and of all apps. */
    counted: () => kept.requests(app_id => app_id !== allApps),
    total: () => kept.requests(app_id => app_id === allApps),
    log: () => batches.flatMap(({ log }) => log),
  }
  return kept
}

const event = fc.record({
  app_id: fc.constantFrom('a', 'b', ''),
  store_id: fc.constantFrom(1n, 2n, 9_007_199_254_740_993n),
  kind: fc.constantFrom<ReadKind>('orders', 'items', 'sales'),
  rows: fc.integer({ min: 0, max: 2000 }),
  status: fc.constantFrom(200, 304, 403, 503),
  milliseconds: fc.double({ min: 0, max: 60_000, noNaN: true }),
  /** Which of the recorders sees it, and how much time passes before. */
  process: fc.integer({ min: 0, max: 2 }),
  seconds: fc.constantFrom(0, 1, 1800, hour, 20 * hour),
  flush: fc.boolean(),
})

test('whatever several processes record and whenever they flush, hours, days and all time add up', async () => {
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async events => {
      // Apps of their own for every run; the database is the same.
      const mine = (app_id: string) => `${round} ${app_id}`
      round++
      clock.set(noon)
      const recorders = [recorderOn({}), recorderOn({}), recorderOn({})]
      const flushes: Promise<void>[] = []
      for (const { app_id, process, seconds, flush, store_id, kind, rows, status, milliseconds } of events) {
        clock.advance(seconds)
        const recorder = recorders[process] as UsageRecorder
        recorder.request(request({ app_id: mine(app_id), status, milliseconds }))
        if (status < 400) recorder.read({ app_id: mine(app_id), store_id, kind, rows })
        if (flush) flushes.push(recorder.flush())
      }
      await Promise.all([...flushes, ...recorders.map(recorder => recorder.close())])

      for (const app_id of ['a', 'b', '']) {
        const own = events.filter(each => each.app_id === app_id)
        const good = own.filter(({ status }) => status < 400)
        for (const width of [hour, day]) {
          const span = { width, from: noon - day, to: clock.now(), app_id: mine(app_id) }
          const [sums] = await storage.usage.requests({ ...span, by: 'app_id' })
          assert.equal(sums?.requests ?? 0, own.length)
          assert.equal(sums?.client_errors ?? 0, own.filter(({ status }) => status === 403).length)
          assert.equal(sums?.server_errors ?? 0, own.filter(({ status }) => status === 503).length)
          assert.equal(sums?.latencies.reduce((sum, count) => sum + count, 0) ?? 0, own.length)
          const reads = await storage.usage.reads({
            ...span,
            store_ids: [1n, 2n, 9_007_199_254_740_993n],
            by: ['store_id'],
          })
          for (const store_id of [1n, 2n, 9_007_199_254_740_993n]) {
            const ofStore = good.filter(each => each.store_id === store_id)
            const rows = reads.filter(row => row.store_id === store_id)
            const total = (name: ReadKind | 'requests') => rows.reduce((sum, row) => sum + row[name], 0)
            assert.equal(total('requests'), ofStore.length)
            for (const kind of ['orders', 'items', 'sales'] as const) {
              const given = ofStore
                .filter(each => each.kind === kind)
                .reduce((sum, { rows }) => sum + rows, 0)
              assert.equal(total(kind), given)
            }
          }
        }
        const ever = await storage.usage.reads({
          ...everSpan,
          store_ids: [1n, 2n, 9_007_199_254_740_993n],
          app_id: mine(app_id),
          by: [],
        })
        assert.equal(
          ever.reduce((sum, row) => sum + row.requests, 0),
          good.length,
        )
        const log = { app_id: mine(app_id), errors_only: false, endpoint: null, before: null, limit: 100 }
        assert.equal((await storage.usage.log(log)).length, own.length)
      }
    }),
    { numRuns: runs(30) },
  )
})

test('a request belongs to the hour and the day in which it ended', async () => {
  const kept = keeping()
  const recorder = recorderOn(kept.usage)
  clock.set(noon + 12 * hour - 1)
  recorder.request(request())
  clock.advance(1)
  recorder.request(request())
  recorder.request(request())
  await recorder.flush()
  const rows = kept.batches[0]?.requests ?? []
  for (const app of ['app', allApps])
    assert.deepEqual(
      rows
        .filter(({ app_id }) => app_id === app)
        .map(({ width, bucket, requests }) => [width, bucket, requests]),
      [
        [hour, noon + 11 * hour, 1],
        [day, noon - 12 * hour, 1],
        [hour, noon + 12 * hour, 2],
        [day, noon + 12 * hour, 2],
      ],
    )
})

test('a flush without records writes nothing', async () => {
  const kept = keeping()
  await recorderOn(kept.usage).close()
  assert.deepEqual(kept.batches, [])
})

test('it flushes by its timer, and no more once it is closed', async () => {
  const kept = keeping()
  let tick = () => {}
  let stopped = false
  const recorder = recorderOn(kept.usage, {
    repeat: flush => {
      tick = flush
      return {
        stop: () => {
          stopped = true
        },
      }
    },
  })
  recorder.request(request())
  tick()
  await recorder.flush()
  assert.equal(kept.counted(), 1)
  recorder.request(request())
  await recorder.close()
  assert.equal(kept.counted(), 2)
  assert.ok(stopped)
})

test('a flush requested during another one also writes the later records', async () => {
  const kept = keeping()
  let release = () => {}
  const blocked = new Promise<void>(resolve => {
    release = resolve
  })
  const recorder = recorderOn({
    ...kept.usage,
    add: async batch => {
      if (kept.batches.length === 0) await blocked
      await kept.usage.add(batch)
    },
  })
  recorder.request(request())
  const first = recorder.flush()
  recorder.request(request())
  const [second, third] = [recorder.flush(), recorder.flush()]
  release()
  await Promise.all([first, second, third])
  assert.deepEqual(
    kept.batches.map(({ requests }) => requests[0]?.requests),
    [1, 1],
  )
})

test('while the database is unavailable nothing fails; the counts are written once when it is back', async () => {
  const kept = keeping()
  const notices: string[] = []
  const recorder = recorderOn(kept.usage, { notice: text => void notices.push(text) })
  kept.failing = true
  for (let i = 0; i < 5; i++) {
    recorder.request(request({ status: 503 }))
    recorder.read({ app_id: 'app', store_id: 1n, kind: 'orders', rows: 10 })
    await recorder.flush()
  }
  assert.deepEqual(notices, ['usage figures cannot be written; retrying'])
  kept.failing = false
  await recorder.flush()
  await recorder.flush()
  assert.deepEqual([kept.counted(), kept.total()], [5, 5])
  assert.equal(kept.log().length, 5)
  assert.equal(new Set(kept.log().map(({ request_id }) => request_id)).size, 5)
  const orders = kept.batches.flatMap(({ reads }) => reads).filter(({ width }) => width === 0)
  assert.equal(
    orders.reduce((sum, row) => sum + row.orders, 0),
    50,
  )
  assert.deepEqual(notices.slice(1), ['usage figures are being written again'])
  assert.deepEqual(recorder.dropped, { counts: 0, log: 0 })
})

test('while nothing can be written memory stays bounded, and dropped requests are counted', async () => {
  const kept = keeping()
  kept.failing = true
  const recorder = recorderOn(kept.usage)
  recorder.request(request())
  await recorder.flush()
  for (let i = 0; i < 20_000; i++) recorder.request(request({ app_id: `app${i}` }))
  await recorder.flush()
  assert.deepEqual(recorder.dropped, { counts: 15_001, log: 19_001 })
  for (let i = 0; i < 100; i++) recorder.request(request({ app_id: 'app1' }))
  assert.equal(recorder.dropped.counts, 15_001, 'what has its place is counted on')
  kept.failing = false
  await recorder.close()
  assert.equal(kept.counted(), 5100)
  assert.equal(kept.total(), 20_101, 'the sum of all apps lacks none')
  assert.equal(kept.log().length, 1000)
})

test('parts that fail go with a later flush; no part is lost or written twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ store: fc.integer({ min: 1, max: 9 }), hours: fc.nat(2) }), { maxLength: 40 }),
      fc.func(fc.boolean()),
      async (reads, fails) => {
        const kept = keeping()
        let writes = 0
        let broken = true
        const recorder = recorderOn({
          ...kept.usage,
          parts: async batch => partsByShard(batch),
          async add(part) {
            if (broken && fails(writes++)) throw new StorageUnavailable('its worker is away')
            await kept.usage.add(part)
          },
        })
        const requests: LoggedRequest[] = []
        for (const { store, hours } of reads) {
          clock.advance(hours * hour)
          recorder.read({ app_id: 'app', store_id: BigInt(store), kind: 'orders', rows: store })
          const ended = request({ app_id: `app${store}` })
          requests.push(ended)
          recorder.request(ended)
          recorder.ingested({
            counts: { stores: 0, items: 0, orders: store, unchanged: 0, stale: 0 },
            newest: null,
            moves: [],
          })
          if (store > 6) await recorder.flush()
        }
        broken = false
        await recorder.close()
        const rows = reads.reduce((sum, { store }) => sum + store, 0)
        for (const width of [0, hour, day]) {
          const written = kept.batches.flatMap(part => part.reads).filter(row => row.width === width)
          assert.equal(
            written.reduce((sum, row) => sum + row.orders, 0),
            rows,
          )
        }
        const ingested = kept.batches.flatMap(part => part.ingest).filter(row => row.width === day)
        assert.equal(
          ingested.reduce((sum, row) => sum + row.orders, 0),
          rows,
        )
        assert.deepEqual([kept.counted(), kept.total()], [reads.length, reads.length])
        const byTime = kept.log().toSorted((one, other) => one.at_ms - other.at_ms)
        assert.deepEqual(byTime, requests)
      },
    ),
    { numRuns: runs(100) },
  )
})

test('a flush stops after some time of failures, and the next one begins with other parts', async () => {
  const kept = keeping()
  const tried: bigint[][] = []
  let elapsed = 0
  const usage: Partial<Storage['usage']> = {
    ...kept.usage,
    parts: async batch => partsByShard(batch),
    async add({ reads }) {
      tried.at(-1)?.push(reads[0]?.store_id ?? 0n)
      elapsed += 2000
      throw new StorageUnavailable('no answer')
    },
  }
  const recorder = recorderOn(usage, { milliseconds: () => elapsed })
  for (const store_id of [1n, 2n, 3n]) recorder.read({ app_id: 'app', store_id, kind: 'orders', rows: 1 })
  for (let i = 0; i < 2; i++) {
    tried.push([])
    await recorder.flush()
  }
  assert.deepEqual(tried, [[1n], [2n]])
})

test('many keys are written before the timer fires', async () => {
  const kept = keeping()
  const written = new Promise<void>(resolve => {
    const recorder = recorderOn({
      ...kept.usage,
      add: batch => kept.usage.add(batch).then(resolve),
    })
    for (let i = 0; i < 500; i++) recorder.request(request({ app_id: `app${i}` }))
  })
  await written
  assert.equal(kept.counted(), 500)
})

test('the log keeps the order in which requests ended, though the clock stands still', async () => {
  const kept = keeping()
  const recorder = recorderOn(kept.usage)
  const requests = Array.from({ length: 50 }, (_, i) => request({ status: i % 3 === 0 ? 404 : 200 }))
  for (const each of requests) recorder.request(each)
  await recorder.flush()
  const byTime = kept.log().toSorted((one, other) => one.at_ms - other.at_ms)
  assert.deepEqual(byTime, requests)
  assert.equal(new Set(requests.map(({ at_ms }) => at_ms)).size, 50)
  assert.ok(requests.every(({ at_ms }) => at_ms >= noon * 1000 && at_ms < (noon + 2) * 1000))
})

test('a busy app leaves the others their share of the log, and errors take precedence', async () => {
  const kept = keeping()
  const recorder = recorderOn(kept.usage)
  for (let i = 0; i < 5000; i++) recorder.request(request({ app_id: 'busy' }))
  for (let i = 0; i < 300; i++) recorder.request(request({ app_id: 'quiet' }))
  for (let i = 0; i < 700; i++) recorder.request(request({ app_id: 'busy', status: 422 }))
  for (let i = 0; i < 10; i++) recorder.request(request({ app_id: 'late', status: 401 }))
  await recorder.flush()
  const count = (app_id: string, error: boolean) =>
    kept.log().filter(each => each.app_id === app_id && each.status >= 400 === error).length
  assert.equal(kept.log().length, 1000)
  assert.equal(count('late', true), 10)
  assert.ok(count('quiet', false) >= 290, `quiet has ${count('quiet', false)}`)
  assert.ok(count('busy', true) >= 690, `busy has ${count('busy', true)} errors`)
  assert.equal(recorder.dropped.log, 5000 + 300 + 700 + 10 - 1000)
})

test('the log of an app is trimmed repeatedly, however long the process runs', async () => {
  const kept = keeping()
  const trimmed: [string, number][] = []
  const recorder = recorderOn({
    ...kept.usage,
    trimLog: async (app_id, keep) => void trimmed.push([app_id, keep]),
  })
  for (let i = 0; i < 25; i++) {
    for (let n = 0; n < 100; n++) recorder.request(request())
    await recorder.flush()
  }
  assert.deepEqual(trimmed, [
    ['app', 10_000],
    ['app', 10_000],
    ['app', 10_000],
  ])
})

test('ingest is counted with its lag, which is never negative, and with its newest change', async () => {
  const kept = keeping()
  const recorder = recorderOn(kept.usage)
  const counts = { stores: 1, items: 2, orders: 3, unchanged: 4, stale: 0 }
  const move = { store_id: 7n, seq: 30, orders_seq: 30, items_seq: null }
  recorder.ingested({ counts, newest: noon - 30, moves: [] })
  recorder.ingested({ counts, newest: noon + 600, moves: [{ ...move, store_id: 8n, seq: 9 }, move] })
  recorder.ingested({ counts: { ...counts, orders: 0 }, newest: null, moves: [] })
  await recorder.flush()
  const [row] = kept.batches[0]?.ingest ?? []
  assert.deepEqual(row, {
    width: hour,
    bucket: noon,
    requests: 3,
    stores: 3,
    items: 6,
    orders: 6,
    unchanged: 12,
    last_at: noon,
    lagged: 2,
    lag_sum: 30,
    lag_max: 30,
    lag_last: 0,
    newest_seq: 30,
  })
})
