import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, isTillgateError, TillgateError } from '../../client/src/index.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { at, startWorld, type World } from '../helpers/world.ts'

/** The library against a server: lists, changes, receipts, tokens, errors and aborts. */

const big = 9007199254740993n
let world: World
before(async () => {
  world = await startWorld([1001, 1002, 1003, big])
  const orders = Array.from({ length: 12 }, (_, i) =>
    sampleOrder({ id: `O-${String(i).padStart(2, '0')}`, created_at: at(i * 43_200) }),
  )
  await world.push(...orders, sampleItem({ id: 1 }), sampleItem({ id: 2 }))
  await world.push(JSON.stringify(sampleItem({ id: 0 })).replace('"id":0', `"id":${big}`))
})
after(() => world.close())

const newClient = (options: object = {}) =>
  createClient({
    baseUrl: world.server.base,
    clientId: world.reader.client_id,
    clientSecret: world.reader.client_secret,
    now: () => world.server.clock.now() * 1000,
    ...options,
  })

/** The addresses that the server was asked for, while `during` runs. */
async function asked(during: () => Promise<unknown>): Promise<string[]> {
  const urls: string[] = []
  const listen = ({ url = '' }: { url?: string }) => void urls.push(url)
  world.server.app.server.on('request', listen)
  await during()
  world.server.app.server.off('request', listen)
  return urls
}

test('lists give every entry, page by page, and ids beyond 2^53 are exact', async () => {
  const client = newClient()
  const stores = await Array.fromAsync(client.stores({ count: 2 }))
  assert.deepEqual(
    stores.map(({ id }) => id),
    [1001, 1002, 1003, big],
  )
  const items = await Array.fromAsync(client.items({ storeId: '1001', count: 2 }))
  assert.deepEqual(
    items.map(({ id }) => id),
    [1, 2, big],
  )
  assert.deepEqual(await Array.fromAsync(client.items({ storeId: big })), [])
  const pages = await Array.fromAsync(client.items({ storeId: 1001, count: 2 }).pages())
  assert.deepEqual(
    pages.map(page => page.length),
    [2, 1],
  )
})

test('orders of any time come once each, in windows that the server accepts', async () => {
  const all = (from: Date | string, to: Date | string) =>
    Array.fromAsync(newClient().orders({ storeId: 1001, from, to, count: 2 }), ({ id }) => id)
  const expected = Array.from({ length: 12 }, (_, i) => `O-${String(i).padStart(2, '0')}`)
  assert.deepEqual(await all('2026-11-01', '2026-11-10T00:00:00Z'), expected)
  assert.deepEqual(
    await all(new Date(Date.UTC(2026, 10, 1)), at(11 * 43_200)),
    expected,
    'both ends included',
  )
  // A window ends at second 172800, where an order is, and the next begins at 172801.
  assert.deepEqual(await all(at(0), at(172_801)), expected.slice(0, 5))
  // Twelve hours lie between two orders.
  assert.deepEqual(await all('2026-11-02', '2026-11-02'), expected.slice(2, 4), 'a day is whole')
  const windows = await asked(() => all('2026-11-01', '2026-11-03'))
  assert.deepEqual(
    [...new Set(windows.flatMap(url => new URL(url, world.server.base).searchParams.getAll('end_date')))],
    ['2026-11-03 00:00:00', '2026-11-03 23:59:59'],
  )
  assert.throws(() => newClient().orders({ storeId: 1001, from: at(1), to: at(0) }), TypeError)
  for (const from of ['2026-02-30', '2026-02-30 10:00:00', '2026-02-30T10:00:00Z']) {
    const named = { name: 'TypeError', message: `not a time: ${from}` }
    assert.throws(() => newClient().orders({ storeId: 1001, from }), named)
    assert.throws(() => newClient().items({ storeId: 1001, updatedAfter: from }), named)
  }
  assert.throws(() => newClient().orders({ storeId: 1001, from: 'yesterday' }), TypeError)
})

test('changes: entries carry what continues behind them, pages have next and more', async () => {
  const client = newClient()
  const all = await Array.fromAsync(client.changes({ storeId: 1001, count: 4 }))
  assert.equal(all.length, 15)
  assert.equal(all.at(-1)?.id, big)
  const { seq, feed } = all[9] as (typeof all)[number]
  const rest = await Array.fromAsync(client.changes({ storeId: 1001, after: seq, feed }))
  assert.deepEqual(rest, all.slice(10))
  const items = await Array.fromAsync(client.changes({ storeId: 1001, kinds: ['item'] }))
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['item', 'item', 'item'],
  )
  const pages = await Array.fromAsync(client.changes({ storeId: 1001, count: 10 }).pages())
  assert.deepEqual(
    pages.map(({ more, changes }) => [more, changes.length]),
    [
      [true, 10],
      [false, 5],
    ],
  )
})

test('changes with follow wait for what comes, and end when the signal aborts', async () => {
  const controller = new AbortController()
  const [newest] = (await Array.fromAsync(newClient().changes({ storeId: 1002 }).pages())) as any[]
  const { next: after, feed } = newest
  const list = newClient().changes({ storeId: 1002, after, feed, follow: true, signal: controller.signal })
  const seen: unknown[] = []
  const urls = await asked(async () => {
    const reading = (async () => {
      for await (const { id } of list) if (seen.push(id) === 2) controller.abort(new Error('enough'))
    })()
    while (!/tillgate_waiting_requests 1\n/.test((await world.server.get('/metrics')).text)) {
      await new Promise(setImmediate)
    }
    await world.push(
      sampleOrder({ store_id: 1002, id: 'late 1' }),
      sampleOrder({ store_id: 1002, id: 'late 2' }),
    )
    await assert.rejects(reading, /enough/)
  })
  assert.deepEqual(seen, ['late 1', 'late 2'])
  assert.ok(urls.some(url => url.includes('wait=30')))
})

test('receipts: one answer, and its days one by one', async () => {
  const receipts = newClient().receipts({ storeId: 1001, startDay: '2026-11-01', endDay: '2026-11-30' })
  const { days, items, seq } = await receipts
  assert.equal(days.length, 6)
  assert.equal(items?.count, 3)
  assert.ok(seq > 0)
  assert.deepEqual(await Array.fromAsync(receipts), days)
})

test('activate answers the store with its scope', async () => {
  const store = await newClient().activate({ storeId: big })
  assert.deepEqual([store.id, store.scope.includes('integration.store')], [big, true])
})

test('parallel requests share one token; a token that has expired or was refused is renewed once for all', async () => {
  const client = newClient()
  const readAll = () => Promise.all([1, 2, 3, 4, 5].map(() => Array.fromAsync(client.stores())))
  const tokenRequests = async () => (await asked(readAll)).filter(url => url === '/auth/v2/token').length
  assert.equal(await tokenRequests(), 1)
  assert.equal(await tokenRequests(), 0)
  world.server.clock.advance(172_800 - 30)
  assert.equal(await tokenRequests(), 1, 'a minute before its end')
  // The client's clock is behind: only the server knows that the token has expired.
  const behind = newClient({ now: () => 0 })
  await Array.fromAsync(behind.stores())
  world.server.clock.advance(172_801)
  const urls = await asked(() => Promise.all([1, 2, 3].map(() => Array.fromAsync(behind.stores()))))
  assert.equal(urls.filter(url => url === '/auth/v2/token').length, 1)
})

test('errors have the code, the details and the request id of the answer', async () => {
  const client = newClient()
  const error = await Array.fromAsync(client.items({ storeId: 77 })).catch(error => error)
  assert.ok(error instanceof TillgateError && isTillgateError(error, 'store_not_found'))
  assert.equal(error.status, 404)
  assert.match(error.requestId ?? '', /./)
  assert.ok(world.server.log.some(line => line.includes(error.requestId ?? '-')))
  await assert.rejects(
    Array.fromAsync(client.orders({ storeId: 1001, from: at(0), to: at(1), count: 2001 })),
    {
      name: 'TillgateError',
      code: 'count_too_large',
      status: 422,
      details: [
        { field: 'count', code: 'count_too_large', message: 'count was "2001"; the maximum is 2000' },
      ],
    },
  )
  await assert.rejects(Array.fromAsync(client.changes({ storeId: 1001, after: 1, feed: 'another' })), {
    code: 'feed_changed',
  })
  await assert.rejects(Array.fromAsync(newClient({ clientSecret: 'wrong' }).stores()), {
    code: 'invalid_client',
    status: 401,
  })
  await assert.rejects(Array.fromAsync(newClient({ clientSecret: undefined }).stores()), {
    code: 'authorization_required',
  })
})

test('an aborted signal ends every call with its reason, and leaves the others alone', async () => {
  const client = newClient()
  const aborted = { signal: AbortSignal.abort(new Error('stopped')) }
  const day = { startDay: '2026-11-01', endDay: '2026-11-01' }
  const calls: (() => Promise<unknown>)[] = [
    () => Array.fromAsync(client.stores(aborted)),
    () => Array.fromAsync(client.orders({ storeId: 1001, from: at(0), to: at(1), ...aborted })),
    () => Array.fromAsync(client.items({ storeId: 1001, ...aborted })),
    () => Array.fromAsync(client.changes({ storeId: 1001, ...aborted })),
    () => client.receipts({ storeId: 1001, ...day, ...aborted }),
    () => client.activate({ storeId: 1001, ...aborted }),
    () => client.token(aborted),
  ]
  for (const call of calls) await assert.rejects(call, /stopped/)
  // The first request of the client fetches the token; its abort must not fail the second.
  const controller = new AbortController()
  const fresh = newClient()
  const [first, second] = [fresh.token({ signal: controller.signal }), fresh.token()]
  controller.abort(new Error('stopped'))
  await assert.rejects(first, /stopped/)
  assert.ok((await second).accessToken)
})
