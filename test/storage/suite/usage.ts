import assert from 'node:assert/strict'
import { latencyBucketCount } from '../../../src/lib/latency-buckets.ts'
import {
  allApps,
  everSpan,
  type IngestDelta,
  type LoggedRequest,
  type ReadDelta,
  type ReadsQuery,
  type RequestDelta,
  type Storage,
  type UsageBatch,
  usageRetention,
} from '../../../src/storage/port/index.ts'
import { check, highest, lowest, type Open } from './fixtures.ts'

const hour = 3600
const day = 86_400

const read = (over: Partial<ReadDelta> = {}): ReadDelta => ({
  store_id: 1n,
  app_id: 'a',
  width: hour,
  bucket: 0,
  requests: 1,
  orders: 0,
  items: 0,
  sales: 0,
  last_at: 10,
  ...over,
})

const latenciesAt = (place: number, count = 1): number[] =>
  Array.from({ length: latencyBucketCount }, (_, i) => (i === place ? count : 0))

const requests = (over: Partial<RequestDelta> = {}): RequestDelta => ({
  app_id: 'a',
  endpoint: 'GET /integration/v1/orders',
  width: hour,
  bucket: 0,
  requests: 1,
  client_errors: 0,
  server_errors: 0,
  latencies: latenciesAt(0),
  ...over,
})

const ingest = (over: Partial<IngestDelta> = {}): IngestDelta => ({
  width: hour,
  bucket: 0,
  requests: 1,
  stores: 0,
  items: 0,
  orders: 0,
  unchanged: 0,
  last_at: 10,
  lagged: 0,
  lag_sum: 0,
  lag_max: 0,
  lag_last: null,
  newest_seq: null,
  ...over,
})

const logged = (at_ms: number, over: Partial<LoggedRequest> = {}): LoggedRequest => ({
  app_id: 'a',
  at_ms,
  request_id: `r${at_ms}`,
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

const add = ({ usage }: Storage, batch: Partial<UsageBatch>): Promise<void> =>
  usage.add({ reads: [], requests: [], ingest: [], log: [], ...batch })

/** In the parts that the engine asks for. */
async function addParts({ usage }: Storage, batch: Partial<UsageBatch>): Promise<void> {
  const parts = await usage.parts({ reads: [], requests: [], ingest: [], log: [], ...batch })
  for (const part of parts) await usage.add(part)
}

const allHours = { width: hour, from: 0, to: 100 * day }
const noFilter = { errors_only: false, endpoint: null, before: null, limit: 100 }

export function usageTests(open: Open): void {
  check('what is added to a counter adds up; the last time is the latest', open, async storage => {
    const counts = { requests: 2, orders: 10, items: 20, sales: 30 }
    await add(storage, { reads: [read({ ...counts, last_at: 50 })] })
    await add(storage, { reads: [read({ ...counts, last_at: 40 }), read({ bucket: hour })] })
    const query = { ...allHours, store_ids: [1n], app_id: null, by: ['store_id', 'app_id'] } as const
    assert.deepEqual(await storage.usage.reads(query), [
      {
        bucket: 0,
        store_id: 1n,
        app_id: 'a',
        requests: 4,
        orders: 20,
        items: 40,
        sales: 60,
        last_at: 50,
      },
      {
        bucket: hour,
        store_id: 1n,
        app_id: 'a',
        requests: 1,
        orders: 0,
        items: 0,
        sales: 0,
        last_at: 10,
      },
    ])
  })

  check(
    'reads are of the stores, app, width and time asked for, and told apart as asked',
    open,
    async storage => {
      const { usage } = storage
      await add(storage, {
        reads: [
          read({ store_id: lowest, orders: 1 }),
          read({ store_id: highest, orders: 2, last_at: 99 }),
          read({ store_id: highest, app_id: 'b', orders: 4 }),
          read({ store_id: 5n, orders: 100 }),
          read({ store_id: highest, width: day, orders: 100 }),
          read({ store_id: highest, bucket: hour, orders: 8 }),
          read({ store_id: highest, bucket: 2 * hour, orders: 100 }),
        ],
      })
      const query = { width: hour, from: 0, to: hour, store_ids: [lowest, highest], app_id: null }
      const told = async (by: readonly ('store_id' | 'app_id')[], app_id: string | null = null) =>
        (await usage.reads({ ...query, app_id, by })).map(row => [
          row.bucket,
          row.store_id,
          row.app_id,
          row.orders,
        ])
      assert.deepEqual(await told([]), [
        [0, null, null, 7],
        [hour, null, null, 8],
      ])
      assert.deepEqual(await told(['store_id']), [
        [0, lowest, null, 1],
        [0, highest, null, 6],
        [hour, highest, null, 8],
      ])
      assert.deepEqual(await told(['app_id']), [
        [0, null, 'a', 3],
        [0, null, 'b', 4],
        [hour, null, 'a', 8],
      ])
      assert.deepEqual(await told(['store_id', 'app_id'], 'b'), [[0, highest, 'b', 4]])
      const together = await usage.reads({ ...query, from: 0, by: ['app_id'], together: true })
      assert.deepEqual(
        together.map(row => [row.bucket, row.store_id, row.app_id, row.orders]),
        [
          [0, null, 'a', 11],
          [0, null, 'b', 4],
        ],
      )
      assert.deepEqual(await usage.reads({ ...query, store_ids: [], by: [] }), [])
      assert.equal((await usage.reads({ ...query, by: [] }))[0]?.last_at, 99)
    },
  )

  check('the reads of any number of stores add up, in order', open, async storage => {
    const ids = Array.from({ length: 250 }, (_, i) => BigInt(i + 1))
    const reads = ids.flatMap(store_id => [
      read({ store_id, bucket: 0, orders: 2, last_at: Number(store_id) }),
      read({ store_id, bucket: hour, app_id: store_id % 2n === 0n ? 'a' : 'b' }),
    ])
    await storage.usage.add({ reads, requests: [], ingest: [], log: [] })
    const asked = { store_ids: ids.toReversed(), width: hour, from: 0, to: hour, app_id: null }
    const brief = async (by: readonly ('store_id' | 'app_id')[]) =>
      (await storage.usage.reads({ ...asked, by })).map(row => [
        row.bucket,
        row.store_id,
        row.app_id,
        row.requests,
        row.orders,
        row.last_at,
      ])
    assert.deepEqual(await brief([]), [
      [0, null, null, 250, 500, 250],
      [hour, null, null, 250, 0, 10],
    ])
    assert.deepEqual(await brief(['app_id']), [
      [0, null, 'a', 250, 500, 250],
      [hour, null, 'a', 125, 0, 10],
      [hour, null, 'b', 125, 0, 10],
    ])
    const together = await storage.usage.reads({ ...asked, by: ['app_id'], together: true })
    assert.deepEqual(
      together.map(row => [row.bucket, row.app_id, row.requests, row.orders, row.last_at]),
      [
        [0, 'a', 375, 500, 250],
        [0, 'b', 125, 0, 10],
      ],
    )
    const byStore = await storage.usage.reads({ ...asked, by: ['store_id'] })
    assert.deepEqual(
      byStore.map(({ store_id }) => store_id),
      [...ids, ...ids],
    )
  })

  check('activity is every row by itself, newest first, page by page', open, async storage => {
    const reads = [2, 1, 0].flatMap(n =>
      [lowest, 7n, highest].flatMap(store_id =>
        ['A', 'a'].map(app_id => read({ store_id, app_id, bucket: n * hour, orders: n })),
      ),
    )
    await add(storage, { reads: [...reads, read({ store_id: 8n }), read({ width: day })].toReversed() })
    const seen: ReadDelta[] = []
    for (let after: ReadDelta | null = null; ; ) {
      const page: ReadDelta[] = await storage.usage.activity({
        ...allHours,
        store_ids: [highest, lowest, 7n],
        app_id: null,
        after,
        limit: 4,
      })
      seen.push(...page)
      if (page.length < 4) break
      after = page.at(-1) as ReadDelta
    }
    assert.deepEqual(seen, reads)
    const ofOne = await storage.usage.activity({
      width: hour,
      from: hour,
      to: hour,
      store_ids: [7n],
      app_id: 'a',
      after: null,
      limit: 9,
    })
    assert.deepEqual(ofOne, [read({ store_id: 7n, bucket: hour, orders: 1 })])
  })

  check('what was ever read is known by store and app', open, async storage => {
    await add(storage, {
      reads: [
        read({ store_id: 2n, width: 0, last_at: 20, orders: 3 }),
        read({ store_id: 1n, app_id: 'b', width: 0, last_at: 30 }),
        read({ store_id: 3n, width: 0 }),
        read({ store_id: 1n }),
      ],
    })
    const readsEver = (app_id: string | null, by: ReadsQuery['by']) =>
      storage.usage.reads({ ...everSpan, store_ids: [1n, 2n], app_id, by, together: true })
    assert.deepEqual(
      (await readsEver(null, ['store_id', 'app_id'])).map(row => [
        row.store_id,
        row.app_id,
        row.orders,
        row.last_at,
      ]),
      [
        [1n, 'b', 0, 30],
        [2n, 'a', 3, 20],
      ],
    )
    assert.deepEqual(
      (await readsEver('a', ['store_id'])).map(row => [row.store_id, row.last_at]),
      [[2n, 20]],
    )
  })

  check('requests add up by bucket, endpoint or app, durations too', open, async storage => {
    const { usage } = storage
    const last = latencyBucketCount - 1
    await add(storage, {
      requests: [
        requests({ requests: 3, client_errors: 1, server_errors: 1, latencies: latenciesAt(2, 3) }),
        requests({ endpoint: 'POST /auth/v2/token' }),
        requests({ app_id: '', client_errors: 1 }),
        requests({ bucket: hour, latencies: latenciesAt(last) }),
        requests({ bucket: 2 * hour, requests: 50 }),
        requests({ width: day, requests: 50 }),
      ],
    })
    await add(storage, { requests: [requests({ requests: 2, latencies: latenciesAt(last, 2) })] })
    const span = { width: hour, from: 0, to: hour }
    const told = async (app_id: string, by: 'bucket' | 'endpoint' | 'app_id') =>
      (await usage.requests({ ...span, app_id, by })).map(({ key, requests }) => [key, requests])
    assert.deepEqual(await told('a', 'bucket'), [
      ['0', 6],
      [String(hour), 1],
    ])
    assert.deepEqual(await told('a', 'endpoint'), [
      ['GET /integration/v1/orders', 6],
      ['POST /auth/v2/token', 1],
    ])
    assert.deepEqual(await told('', 'app_id'), [['', 1]])
    const [sums] = await usage.requests({ ...span, app_id: 'a', by: 'app_id' })
    const latencies = latenciesAt(2, 3)
    latencies[0] = 1
    latencies[last] = 3
    assert.deepEqual(sums, { key: 'a', requests: 7, client_errors: 1, server_errors: 1, latencies })
  })

  check('the busiest apps of a time, without the sum of all', open, async storage => {
    await add(storage, {
      requests: [
        requests({ app_id: 'c', requests: 2 }),
        requests({ app_id: 'c', requests: 2, endpoint: 'POST /auth/v2/token' }),
        requests({ app_id: 'b', requests: 3 }),
        requests({ app_id: 'b', bucket: hour }),
        requests({ app_id: 'a', bucket: hour, requests: 5 }),
        requests({ app_id: 'a', bucket: 2 * hour, requests: 50 }),
        requests({ app_id: 'd', width: day, requests: 50 }),
        requests({ app_id: '', requests: 1 }),
        requests({ app_id: allApps, requests: 90 }),
      ],
    })
    const span = { width: hour, from: 0, to: hour }
    assert.deepEqual(await storage.usage.busiestApps(span, 10), ['a', 'b', 'c', ''])
    assert.deepEqual(await storage.usage.busiestApps(span, 2), ['a', 'b'])
    assert.deepEqual(await storage.usage.busiestApps({ ...span, from: 9 * hour, to: 9 * hour }, 2), [])
  })

  check('buckets are in the order of time, not of their digits', open, async storage => {
    const buckets = [100 * hour, 9 * hour]
    await add(storage, { requests: buckets.map(bucket => requests({ bucket })) })
    const rows = await storage.usage.requests({ ...allHours, app_id: 'a', by: 'bucket' })
    assert.deepEqual(
      rows.map(({ key }) => Number(key)),
      [9 * hour, 100 * hour],
    )
  })

  check('ingest adds up; the last lag stays until another is known', open, async storage => {
    const lag = (seconds: number) => ({ lagged: 1, lag_sum: seconds, lag_max: seconds, lag_last: seconds })
    await add(storage, { ingest: [ingest({ orders: 5, stores: 1, ...lag(40) })] })
    await add(storage, { ingest: [ingest({ orders: 2, items: 3, last_at: 30, ...lag(7) })] })
    await add(storage, { ingest: [ingest({ unchanged: 4, last_at: 20 }), ingest({ bucket: hour })] })
    assert.deepEqual(await storage.usage.ingest({ width: hour, from: 0, to: 0 }), [
      ingest({
        requests: 3,
        stores: 1,
        items: 3,
        orders: 7,
        unchanged: 4,
        last_at: 30,
        lagged: 2,
        lag_sum: 47,
        lag_max: 40,
        lag_last: 7,
      }),
    ])
    assert.deepEqual(await storage.usage.ingest({ width: hour, from: hour, to: hour }), [
      ingest({ bucket: hour }),
    ])
  })

  check('the newest seq of a bucket is the highest', open, async storage => {
    const newest = async () => (await storage.usage.ingest({ width: hour, from: 0, to: 0 }))[0]?.newest_seq
    await add(storage, { ingest: [ingest()] })
    assert.equal(await newest(), null)
    await add(storage, { ingest: [ingest({ newest_seq: 500 })] })
    await add(storage, { ingest: [ingest({ newest_seq: 400 })] })
    await add(storage, { ingest: [ingest()] })
    assert.equal(await newest(), 500)
    await add(storage, { ingest: [ingest({ newest_seq: Number.MAX_SAFE_INTEGER })] })
    assert.equal(await newest(), Number.MAX_SAFE_INTEGER)
  })

  check('the log is read newest first, by page and filter, of one app', open, async storage => {
    const { usage } = storage
    const twins = ['x', 'y', 'z'].map(request_id => logged(5, { request_id }))
    const error = logged(6, {
      status: 403,
      error_code: 'store_forbidden',
      store_id: highest,
      milliseconds: 0.123,
      query: 'store_id=9223372036854775807&x=“😀”',
      problem: 'No access\nstore_id: required',
    })
    const other = logged(7, { endpoint: 'POST /auth/v2/token', method: 'POST', status: 503 })
    const all = [logged(1), ...twins, error, other]
    await add(storage, { log: [...all, logged(2, { app_id: 'b' })] })
    const newest = all.toReversed()
    const log = (over = {}) => usage.log({ app_id: 'a', ...noFilter, ...over })
    assert.deepEqual(await log(), newest)
    const first = await log({ limit: 3 })
    assert.deepEqual(first, newest.slice(0, 3))
    assert.deepEqual(await log({ limit: 3, before: first.at(-1) }), newest.slice(3))
    assert.deepEqual(await log({ errors_only: true }), [other, error])
    assert.deepEqual(await log({ endpoint: 'POST /auth/v2/token' }), [other])
    assert.deepEqual(await log({ errors_only: true, endpoint: 'GET /integration/v1/orders' }), [error])
  })

  check('a request is found by its id within its app only', open, async storage => {
    const entry = logged(9_007_199_254_740, { request_id: 'wanted', store_id: lowest })
    await add(storage, { log: [entry, logged(1)] })
    assert.deepEqual(await storage.usage.logged('a', 'wanted'), entry)
    assert.equal(await storage.usage.logged('b', 'wanted'), null)
    assert.equal(await storage.usage.logged('a', 'want'), null)
  })

  check('an entry that is there already is left, and its batch still counts', open, async storage => {
    await add(storage, { log: [logged(1)] })
    await add(storage, { log: [logged(1, { status: 500 }), logged(2)], reads: [read()] })
    const entries = await storage.usage.log({ app_id: 'a', ...noFilter })
    assert.deepEqual(
      entries.map(({ at_ms, status }) => [at_ms, status]),
      [
        [2, 200],
        [1, 200],
      ],
    )
  })

  check('the log of an app is trimmed to its newest entries', open, async storage => {
    const log = Array.from({ length: 20 }, (_, i) => logged(i))
    await add(storage, { log: [...log, logged(0, { app_id: 'b' })] })
    await storage.usage.trimLog('a', 30)
    assert.equal((await storage.usage.log({ app_id: 'a', ...noFilter })).length, 20)
    await storage.usage.trimLog('a', 5)
    const left = await storage.usage.log({ app_id: 'a', ...noFilter })
    assert.deepEqual(
      left.map(({ at_ms }) => at_ms),
      [19, 18, 17, 16, 15],
    )
    assert.equal((await storage.usage.log({ app_id: 'b', ...noFilter })).length, 1)
  })

  check('parallel additions to the same counters lose nothing and never deadlock', open, async storage => {
    const keys = Array.from({ length: 30 }, (_, i) => i)
    await Promise.all(
      keys.map(n => {
        // Each in another order.
        const turned = [...keys.slice(n), ...keys.slice(0, n)]
        return addParts(storage, {
          reads: turned.map(i => read({ store_id: BigInt(i), orders: 1 })),
          requests: turned.map(i => requests({ app_id: `app${i}` })),
          ingest: [ingest({ orders: 1 })],
        })
      }),
    )
    const reads = await storage.usage.reads({
      ...allHours,
      store_ids: keys.map(BigInt),
      app_id: null,
      by: ['store_id'],
    })
    assert.deepEqual(
      reads.map(({ orders }) => orders),
      keys.map(() => keys.length),
    )
    for (const i of keys) {
      const [app] = await storage.usage.requests({ ...allHours, app_id: `app${i}`, by: 'app_id' })
      assert.deepEqual([app?.requests, app?.latencies[0]], [keys.length, keys.length])
    }
    assert.equal((await storage.usage.ingest(allHours))[0]?.orders, keys.length)
  })

  check('when one part of a batch cannot be stored, nothing of it is', open, async storage => {
    const broken = logged(1, { method: null as unknown as string })
    await assert.rejects(add(storage, { reads: [read()], requests: [requests()], log: [broken] }))
    const query = { ...allHours, app_id: 'a' }
    assert.deepEqual(await storage.usage.reads({ ...query, store_ids: [1n], by: [] }), [])
    assert.deepEqual(await storage.usage.requests({ ...query, by: 'bucket' }), [])
  })

  check('purge deletes usage when its retention is over, to the second', open, async storage => {
    const now = 1_793_534_400
    const old = { [hour]: now - usageRetention.hour, [day]: now - usageRetention.day } as Record<
      number,
      number
    >
    const log_old = (now - usageRetention.log) * 1000
    for (const width of [hour, day]) {
      for (const bucket of [
        (old[width] as number) - width,
        old[width] as number,
        (old[width] as number) + 1,
      ]) {
        await add(storage, {
          reads: [read({ width, bucket })],
          requests: [requests({ width, bucket })],
          ingest: [ingest({ width, bucket })],
        })
      }
    }
    await add(storage, {
      reads: [read({ width: 0 })],
      log: [log_old - 1, log_old, log_old + 1000].map(at => logged(at)),
    })
    await storage.purge(now)
    for (const width of [hour, day]) {
      const span = { width, from: 0, to: now }
      const kept = (old[width] as number) + 1
      const reads = await storage.usage.reads({ ...span, store_ids: [1n], app_id: null, by: [] })
      assert.deepEqual(
        reads.map(({ bucket }) => bucket),
        [kept],
      )
      const sums = await storage.usage.requests({ ...span, app_id: 'a', by: 'bucket' })
      assert.deepEqual(
        sums.map(({ key }) => key),
        [String(kept)],
      )
      assert.deepEqual(
        (await storage.usage.ingest(span)).map(({ bucket }) => bucket),
        [kept],
      )
    }
    assert.equal(
      (await storage.usage.reads({ ...everSpan, store_ids: [1n], app_id: null, by: [] })).length,
      1,
      'the last read stays',
    )
    const log = await storage.usage.log({ app_id: 'a', ...noFilter })
    assert.deepEqual(
      log.map(({ at_ms }) => at_ms),
      [log_old + 1000],
    )
  })

  check(
    'purge deletes any number of old counters and entries, and others have a turn between two batches',
    open,
    async storage => {
      const stores = Array.from({ length: 1500 }, (_, i) => BigInt(i))
      await add(storage, {
        reads: stores.flatMap(store_id => [read({ store_id }), read({ store_id, bucket: hour })]),
        log: Array.from({ length: 2500 }, (_, i) => logged(i)),
      })
      let turns = 0
      let next = setImmediate(function count() {
        turns += 1
        next = setImmediate(count)
      })
      await storage.purge(1_793_534_400)
      clearImmediate(next)
      assert.ok(turns >= 5, `other requests had ${turns} turns between the batches`)
      const left = await storage.usage.reads({ ...allHours, store_ids: stores, app_id: null, by: [] })
      assert.deepEqual(left, [])
      assert.deepEqual(await storage.usage.log({ app_id: 'a', ...noFilter }), [])
    },
  )
}

/** With a new database: one that was emptied may be as large as before. */
export function sizeTests(open: Open): void {
  check('the database says its size and its version', open, async storage => {
    const before = await storage.size()
    assert.ok(before > 10_000, String(before))
    await add(storage, { log: Array.from({ length: 5000 }, (_, i) => logged(i)) })
    assert.ok((await storage.size()) > before)
    assert.match(await storage.version(), /^(SQLite|PostgreSQL) \d+\.\d+(\.\d+)?$/)
    assert.ok((await storage.schema()) >= 3, 'the number of the last migration')
  })
}
