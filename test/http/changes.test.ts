import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { decide, redirectUri } from '../helpers/authorize.ts'
import { byTest } from '../helpers/by.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer
let client: Awaited<ReturnType<TestServer['newApp']>>
let token: string
let writer: string
let next_store = 1

before(async () => {
  server = await startServer()
  client = await server.newApp()
  token = await server.token(client)
  writer = await server.token(await server.newApp({ scope: 'platform.write' }))
})
after(() => server.close())

/** A store of its own for each test, linked to the app. */
async function newStore(): Promise<number> {
  const id = next_store++
  await server.push(sampleStore({ id }))
  await server.apps.authorize(client.client_id, [BigInt(id)], byTest)
  return id
}

const changes = (query: Record<string, string | number>, bearer = token, headers = {}) =>
  server.get(`/integration/v1/changes?${new URLSearchParams(query as never)}`, bearer, headers)

async function pushByApi(...records: object[]): Promise<void> {
  const answer = await fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
    body: records.map(record => JSON.stringify(record)).join('\n'),
  })
  assert.equal(answer.status, 200)
}

/** Resolves when a request waits. */
async function untilWaiting(): Promise<void> {
  while (!/tillgate_waiting_requests 1/.test((await server.get('/metrics')).text)) {
    await new Promise(setImmediate)
  }
}

describe('changes', () => {
  test('orders and items come in the order in which they were stored, in their newest version', async () => {
    const store_id = await newStore()
    await server.push(sampleOrder({ store_id, id: 'a' }), sampleOrder({ store_id, id: 'b' }))
    await server.push(sampleItem({ store_id }))
    await server.push(sampleOrder({ store_id, id: 'a', order_number: 'corrected' }))
    const { status, json, headers } = await changes({ store_id })
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { data } = json
    assert.deepEqual(data.kinds, ['order', 'item'])
    assert.deepEqual(
      data.changes.map((each: any) => [each.kind, each.id]),
      [
        ['order', 'b'],
        ['item', 12],
        ['order', 'a'],
      ],
    )
    assert.equal(data.changes[2].data.order_number, 'corrected')
    assert.equal(data.next, data.changes[2].seq)
    assert.equal(data.more, false)
    const list = await server.get(`/integration/v1/inventory/items?store_id=${store_id}`, token)
    assert.deepEqual(data.changes[1].data, list.json.data[0])
    const again = await changes({ store_id, after: data.next, feed: data.feed })
    assert.deepEqual(again.json.data, { ...data, changes: [] })
  })

  test('the orders of one batch come in the order of their records, the last one of each', async () => {
    const store_id = await newStore()
    const of = (id: string, order_number = '1') => sampleOrder({ store_id, id, order_number })
    await server.push(of('a'), of('b'), of('c'), of('e'))
    await server.push(of('e', '2'), of('c', '2'), of('d'), of('a', '2'), of('c', '3'))
    const { json } = await changes({ store_id })
    assert.deepEqual(
      json.data.changes.map((each: any) => each.id),
      ['b', 'e', 'd', 'a', 'c'],
    )
  })

  test('an unchanged and a stale record get no number', async () => {
    const store_id = await newStore()
    const order = sampleOrder({ store_id, id: 'a' })
    await server.push(order)
    const before = (await changes({ store_id })).json.data
    await server.push(order, { ...order, updated_at: '2020-01-01 00:00:00', order_number: 'old' })
    assert.deepEqual((await changes({ store_id })).json.data, before)
  })

  test('count cuts a page off, and the walk meets everything once', async () => {
    const store_id = await newStore()
    await server.push(
      ...Array.from({ length: 300 }, (_, i) => sampleOrder({ store_id, id: `o${i}` })),
      ...Array.from({ length: 20 }, (_, i) => sampleItem({ store_id, id: i + 1 })),
    )
    for (const count of [1, 7, 128, 129, 319, 320, 2000]) {
      const seen: string[] = []
      let at = { next: 0, feed: '', more: true }
      while (at.more) {
        const query = { store_id, count, after: at.next, ...(at.next > 0 && { feed: at.feed }) }
        const { data } = (await changes(query)).json
        assert.ok(data.changes.length <= count)
        for (const { kind, id, seq } of data.changes) {
          assert.ok(seq > at.next)
          seen.push(`${kind} ${id}`)
        }
        at = data
        if (count === 1 && seen.length === 3) break
      }
      if (count > 1) assert.equal(new Set(seen).size, 320, `count=${count}`)
    }
  })

  test('kinds are those that the scopes allow', async () => {
    const store_id = await newStore()
    await server.push(sampleOrder({ store_id }), sampleItem({ store_id }))
    const orders = await server.token(client, 'integration.order')
    const both = (await changes({ store_id })).json.data
    assert.deepEqual((await changes({ store_id }, orders)).json.data.kinds, ['order'])
    assert.deepEqual((await changes({ store_id, kinds: 'item' })).json.data.changes.length, 1)
    assert.deepEqual((await changes({ store_id, kinds: 'item,order' })).json.data, both)
    const refused = await changes({ store_id, kinds: 'order,item' }, orders)
    assert.equal(refused.status, 403)
    assert.equal(refused.json.status.errors.code, 'scope_insufficient')
    assert.match(refused.headers.get('www-authenticate') ?? '', /integration\.inventory/)
    const stores = await server.token(client, 'integration.store')
    assert.equal((await changes({ store_id }, stores)).status, 403)
  })

  test('the order of the checks: a kind that the token may not follow is 403 before a bad parameter is 422', async () => {
    const orders = await server.token(client, 'integration.order')
    const code = async (query: object) => (await changes(query as never, orders)).json.status.errors.code
    for (const kinds of ['item', 'order,item']) {
      assert.equal(await code({ kinds, count: 'x' }), 'scope_insufficient', kinds)
      assert.equal(await code({ kinds }), 'scope_insufficient', 'without a store')
    }
    for (const kinds of ['order', 'items', ''])
      assert.equal(await code({ kinds, count: 'x' }), 'parameter_invalid')
    const { client_id, client_secret } = client
    await server.post('/auth/v2/revoke', { client_id, client_secret, token: orders })
    assert.equal(await code({ kinds: 'item', count: 'x' }), 'token_revoked')
  })

  test('409 when the feed is another one, does not cover a kind, or `after` is beyond the newest seq', async () => {
    const store_id = await newStore()
    await server.push(sampleOrder({ store_id }), sampleItem({ store_id }))
    const orders = (await changes({ store_id, kinds: 'order' })).json.data
    const all = (await changes({ store_id })).json.data
    const code = async (query: object) => (await changes({ store_id, ...query })).json.status.errors?.code
    const { next: position, feed } = all
    assert.equal(await code({ after: position, feed: orders.feed }), 'feed_changed')
    assert.equal(await code({ after: position, feed, kinds: 'order' }), undefined)
    assert.equal(await code({ after: position + 1, feed }), 'feed_changed')
    assert.equal(await code({ after: position, feed: 'x' }), 'feed_changed')
    assert.equal(await code({ after: 0, feed: 'x-oi' }), 'feed_changed')
    await server.storage.changes.renewHistory()
    assert.equal(await code({ after: position, feed }), 'feed_changed')
    assert.equal(await code({}), undefined)
  })

  test('bad parameters are 422, each named', async () => {
    const store_id = await newStore()
    const fields = async (query: object) =>
      (await changes({ store_id, ...query })).json.status.errors.details.map((detail: any) => detail.field)
    assert.deepEqual(await fields({ after: 5 }), ['feed'])
    assert.deepEqual(await fields({ after: 5, feed: '' }), ['feed'], 'named once')
    assert.deepEqual(await fields({ after: -1, wait: 31, kinds: 'sale', count: 2001 }), [
      'after',
      'count',
      'kinds',
      'wait',
    ])
    for (const after of ['1.0', '9007199254740992', 'x', ''])
      assert.deepEqual(await fields({ after }), ['after'])
    for (const kinds of ['', 'order,', 'order,order']) assert.deepEqual(await fields({ kinds }), ['kinds'])
  })
})

describe('waiting for changes', () => {
  test('a change that this process stores ends the wait at once', async () => {
    const store_id = await newStore()
    const waiting = changes({ store_id, wait: 30 })
    await untilWaiting()
    const began = performance.now()
    await pushByApi(sampleOrder({ store_id }))
    const { json } = await waiting
    assert.equal(json.data.changes.length, 1)
    assert.ok(performance.now() - began < 450)
  })

  test('a change that another process stores ends it within a second', async () => {
    const store_id = await newStore()
    const waiting = changes({ store_id, wait: 30 })
    await untilWaiting()
    const began = performance.now()
    await server.push(sampleOrder({ store_id }))
    assert.equal((await waiting).json.data.changes.length, 1)
    assert.ok(performance.now() - began < 1500)
  })

  test('a change of a kind that was not asked for does not', async () => {
    const store_id = await newStore()
    const waiting = changes({ store_id, kinds: 'item', wait: 30 })
    await untilWaiting()
    await pushByApi(sampleOrder({ store_id }))
    await pushByApi(sampleItem({ store_id }))
    assert.deepEqual(
      (await waiting).json.data.changes.map((each: any) => each.kind),
      ['item'],
    )
  })

  test('its time ends it with an empty page', async () => {
    const store_id = await newStore()
    const { status, json } = await changes({ store_id, wait: 1 })
    assert.equal(status, 200)
    assert.deepEqual(json.data.changes, [])
  })

  test('revoking the access ends it with 403, disabling the app with 401', async () => {
    const store_id = await newStore()
    const other = await server.newApp()
    await server.apps.authorize(other.client_id, [BigInt(store_id)], byTest)
    const bearer = await server.token(other)
    const forbidden = changes({ store_id, wait: 30 }, bearer)
    await untilWaiting()
    await server.storage.authorizations.revokeApp(other.client_id, [BigInt(store_id)], 0)
    assert.equal((await forbidden).status, 403)
    await server.apps.authorize(other.client_id, [BigInt(store_id)], byTest)
    const revoked = changes({ store_id, wait: 30 }, bearer)
    await untilWaiting()
    await server.storage.apps.setDisabled(other.client_id, 1)
    assert.equal((await revoked).status, 401)
  })

  test('a consent at this server that leaves the store out ends it with 403 at once', async t => {
    const [kept, lost] = [await newStore(), await newStore()]
    await server.newAccount('owner@example.com')
    const app = await server.newApp({ redirect_uris: [redirectUri] })
    await decide(server, app, { stores: [String(lost)] })
    const bearer = await server.token(app)
    // Without the question that asks about access every second.
    t.mock.timers.enable({ apis: ['setInterval'] })
    const waiting = changes({ store_id: lost, wait: 30 }, bearer)
    await untilWaiting()
    await decide(server, app, { stores: [String(kept)] })
    assert.equal((await waiting).status, 403)
  })

  test('a client that leaves waits no longer', async () => {
    const store_id = await newStore()
    const leaving = new AbortController()
    const path = `${server.base}/integration/v1/changes?store_id=${store_id}&wait=30`
    const waiting = fetch(path, { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal })
    await untilWaiting()
    leaving.abort()
    await assert.rejects(waiting)
    while (!/tillgate_waiting_requests 0/.test((await server.get('/metrics')).text)) {
      await new Promise(setImmediate)
    }
  })
})

describe('heads', () => {
  const heads = (query = '', headers = {}, bearer = token) =>
    server.get(`/integration/v1/changes/heads${query}`, bearer, headers)

  test('say which stores have moved, and wait until one does', async () => {
    const store_id = await newStore()
    const first = await heads()
    const seqOf = ({ json }: typeof first) => json.data.find((each: any) => each.store_id === store_id).seq
    assert.equal(seqOf(first), 0)
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await heads('', { 'if-none-match': etag })).status, 304)
    const waiting = heads('?wait=30', { 'if-none-match': etag })
    await untilWaiting()
    await pushByApi(sampleOrder({ store_id }))
    const moved = await waiting
    const { next: newest } = (await changes({ store_id })).json.data
    assert.equal(seqOf(moved), newest)
    assert.deepEqual((await heads('?index=1&count=2')).json.data, (await heads()).json.data.slice(2, 4))
  })

  test('a 304 names the next page, with and without a wait', async () => {
    await Promise.all([newStore(), newStore()])
    const { headers } = await heads('?count=1')
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    for (const wait of ['', '&wait=1']) {
      const unchanged = await heads(`?count=1${wait}`, known)
      assert.equal(unchanged.status, 304)
      assert.match(unchanged.headers.get('link') ?? '', /cursor=.*rel="next"/, wait)
    }
  })
})

describe('receipts', () => {
  const receipts = (query: object, bearer = token) =>
    server.get(`/integration/v1/receipts?${new URLSearchParams(query as never)}`, bearer)

  const digest = (entries: { id: unknown; seq: number }[]) =>
    entries
      .reduce((sum, { id, seq }) => {
        const hex = createHash('sha256').update(`${id}:${seq}`).digest('hex').slice(0, 32)
        return (sum + BigInt(`0x${hex}`)) % 2n ** 128n
      }, 0n)
      .toString(16)
      .padStart(32, '0')

  test('count, sum and digest of each day are those of the changes', async () => {
    const store_id = await newStore()
    await server.push(
      sampleItem({ store_id }),
      sampleOrder({ store_id, id: 'a', created_at: '2026-11-01 23:59:59', subtotal: 100 }),
      sampleOrder({ store_id, id: 'b', created_at: '2026-11-01 00:00:00', subtotal: null }),
      sampleOrder({ store_id, id: 'c', created_at: '2026-11-02 00:00:00', subtotal: 7 }),
    )
    const { data } = (await changes({ store_id })).json
    const of = (...ids: unknown[]) => digest(data.changes.filter((each: any) => ids.includes(each.id)))
    const days = { start_day: '2026-11-01', end_day: '2026-11-30' }
    assert.deepEqual((await receipts({ store_id, ...days })).json.data, {
      feed: data.feed,
      seq: data.next,
      days: [
        { day: '2026-11-01', orders: 2, subtotal: 100, digest: of('a', 'b') },
        { day: '2026-11-02', orders: 1, subtotal: 7, digest: of('c') },
      ],
      items: { count: 1, digest: of(12) },
    })
    const orders = await server.token(client, 'integration.order')
    assert.equal('items' in (await receipts({ store_id, ...days }, orders)).json.data, false)
  })

  test('at most 400 days, and not backwards', async () => {
    const store_id = await newStore()
    const code = async (start_day: string, end_day: string) =>
      (await receipts({ store_id, start_day, end_day })).json.status.errors?.details[0].code
    assert.equal(await code('2026-01-01', '2027-02-04'), undefined)
    assert.equal(await code('2026-01-01', '2027-02-05'), 'window_too_long')
    assert.equal(await code('2026-01-02', '2026-01-01'), 'window_reversed')
    assert.equal(await code('2026-02-30', '2026-03-01'), 'not_a_day')
  })
})

describe('cursors', () => {
  /** Follows Link headers from a path on; between two pages `meanwhile` may write. */
  async function walk(path: string, meanwhile: (page: number) => Promise<void> = async () => {}) {
    const pages: any[][] = []
    let next: string | undefined = path
    while (next) {
      const { status, json, headers, text } = await server.get(next, token)
      assert.equal(status, 200, text)
      pages.push(json.data)
      await meanwhile(pages.length)
      next = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]?.slice(server.base.length)
    }
    return pages
  }
  const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00'
  const at = (second: number) =>
    new Date(Date.parse('2026-11-01T00:00:00Z') + second * 1000).toISOString().slice(0, 19).replace('T', ' ')

  test('an order written between two pages makes none skipped or repeated, whatever the field', async () => {
    for (const date_field of ['created_at', 'updated_at', 'paid_at']) {
      const store_id = await newStore()
      const order = (id: string, second: number) =>
        sampleOrder({
          store_id,
          id,
          created_at: at(second),
          updated_at: at(second),
          paid_at: at(second),
        })
      // Many orders in the same second, so that the id decides.
      await server.push(...Array.from({ length: 45 }, (_, i) => order(`o${i}`, 100 + Math.floor(i / 10))))
      const path = `/integration/v1/orders?store_id=${store_id}&${window}&count=10&date_field=${date_field}`
      const pages = await walk(path, async page => server.push(order(`before ${page}`, page)))
      const ids = pages.flat().map(({ id }) => id)
      assert.equal(ids.length, 45)
      assert.equal(new Set(ids).size, 45)
      assert.deepEqual(
        pages.map(page => page.length),
        [10, 10, 10, 10, 5],
      )
    }
  })

  test('large pages, of which the rest is read later, continue where they end', async () => {
    const store_id = await newStore()
    await server.push(
      ...Array.from({ length: 700 }, (_, i) =>
        sampleOrder({ store_id, id: `o${i}`, created_at: at(i % 50) }),
      ),
    )
    const pages = await walk(`/integration/v1/orders?store_id=${store_id}&${window}&count=300`)
    assert.deepEqual(
      pages.map(page => page.length),
      [300, 300, 100],
    )
    assert.equal(new Set(pages.flat().map(({ id }) => id)).size, 700)
  })

  test('items by id and by update time, stores and heads', async () => {
    const store_id = await newStore()
    await server.push(
      ...Array.from({ length: 25 }, (_, i) =>
        sampleItem({ store_id, id: i * 2 + 1, updated_at: at(Math.floor(i / 10)) }),
      ),
    )
    const insert = (page: number) =>
      server.push(sampleItem({ store_id, id: page * 2, updated_at: '2026-10-01 00:00:00' }))
    for (const filter of ['', '&updated_after=2026-10-31+00:00:00']) {
      const path = `/integration/v1/inventory/items?store_id=${store_id}&count=10${filter}`
      const ids = (await walk(path, insert)).flat().map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
      for (let id = 1; id < 50; id += 2) assert.ok(ids.includes(id), `${id} with "${filter}"`)
    }
    const all = (await server.get('/integration/v1/stores?count=1000', token)).json.data
    assert.deepEqual((await walk('/integration/v1/stores?count=2')).flat(), all)
    const heads = (await server.get('/integration/v1/changes/heads?count=1000', token)).json.data
    assert.deepEqual((await walk('/integration/v1/changes/heads?count=2')).flat(), heads)
  })

  test('a cursor with an index, or of another store, filter or list, is 422', async () => {
    const [one, two] = [await newStore(), await newStore()]
    await server.push(
      ...[one, two].flatMap(store_id =>
        Array.from({ length: 3 }, (_, i) => sampleOrder({ store_id, id: `o${i}`, created_at: at(i) })),
      ),
    )
    const list = (store_id: number, rest: string) =>
      `/integration/v1/orders?store_id=${store_id}&${rest}&count=2`
    const { headers } = await server.get(list(one, window), token)
    const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
    const code = async (path: string) =>
      (await server.get(path, token)).json.status.errors?.details[0]?.code ?? 'ok'
    assert.equal(await code(`${list(one, window)}&cursor=${cursor}`), 'ok')
    assert.equal(await code(`${list(one, window)}&cursor=${cursor}&index=0`), 'cursor_invalid')
    assert.equal(await code(`${list(two, window)}&cursor=${cursor}`), 'cursor_invalid')
    assert.equal(await code(`${list(one, window)}&date_field=paid_at&cursor=${cursor}`), 'cursor_invalid')
    assert.equal(await code(`${list(one, window)}&cursor=AAAA`), 'cursor_invalid')
    for (const junk of ['%00', '%20', '=', '.', '%C3%A9'])
      assert.equal(await code(`${list(one, window)}&cursor=${cursor}${junk}`), 'cursor_invalid', junk)
    assert.equal(await code(`/integration/v1/stores?cursor=${cursor}`), 'cursor_invalid')
  })

  test('the last page has no Link, nor has one of more than 2000 entries', async () => {
    const store_id = await newStore()
    await server.push(sampleItem({ store_id }))
    const link = async (count: number) =>
      (
        await server.get(`/integration/v1/inventory/items?store_id=${store_id}&count=${count}`, token)
      ).headers.get('link')
    assert.match((await link(1)) ?? '', /rel="next"/)
    assert.equal(await link(2), null)
    assert.equal(await link(2001), null)
  })
})

test('the ETag of a window by created_at changes with its own days alone', async () => {
  const store_id = await newStore()
  const order = (id: string, created_at: string, over = {}) =>
    sampleOrder({ store_id, id, created_at, updated_at: created_at, ...over })
  await server.push(order('a', '2026-10-01 10:00:00'), order('b', '2026-10-05 10:00:00'))
  const window = { start_date: '2026-10-01 00:00:00', end_date: '2026-10-02 23:59:59' }
  const path = `/integration/v1/orders?${new URLSearchParams({ store_id: `${store_id}`, ...window })}`
  const etag = async () => (await server.get(path, token)).headers.get('etag')
  const first = (await etag()) ?? ''
  await server.push(
    order('c', '2026-10-03 00:00:00'),
    order('b', '2026-10-05 10:00:00', { order_number: 'B' }),
  )
  assert.equal((await server.get(path, token, { 'if-none-match': first })).status, 304)
  // An order that leaves the window, and one that comes into it.
  await server.push(order('a', '2026-10-09 10:00:00'))
  const second = await etag()
  assert.notEqual(second, first)
  await server.push(order('b', '2026-10-02 10:00:00', { updated_at: '2026-10-06 00:00:00' }))
  assert.notEqual(await etag(), second)
  assert.notEqual(await etag(), first)
})

test('a window that is too long is answered with the windows to ask for instead', async () => {
  const store_id = await newStore()
  const query = {
    store_id: `${store_id}`,
    start_date: '2026-01-01 00:00:00',
    end_date: '2026-01-07 11:59:59',
  }
  const { status, json } = await server.get(`/integration/v1/orders?${new URLSearchParams(query)}`, token)
  assert.equal(status, 422)
  const { message, details } = json.status.errors
  assert.match(message, /integration\/v1\/changes: http:\/\/127\.0\.0\.1:\d+\/docs#tag\/changes/)
  assert.deepEqual(details[0].suggested_windows, [
    { start_date: '2026-01-01 00:00:00', end_date: '2026-01-02 23:59:59' },
    { start_date: '2026-01-03 00:00:00', end_date: '2026-01-04 23:59:59' },
    { start_date: '2026-01-05 00:00:00', end_date: '2026-01-06 23:59:59' },
    { start_date: '2026-01-07 00:00:00', end_date: '2026-01-07 11:59:59' },
  ])
  for (const window of details[0].suggested_windows) {
    const part = new URLSearchParams({ store_id: `${store_id}`, ...window })
    assert.equal((await server.get(`/integration/v1/orders?${part}`, token)).status, 200)
  }
  const years = { ...query, end_date: '2036-01-01 00:00:00' }
  const longest = await server.get(`/integration/v1/orders?${new URLSearchParams(years)}`, token)
  const [detail] = longest.json.status.errors.details
  assert.equal(detail.suggested_windows.length, 200)
  assert.match(detail.message, /; the suggested windows are the first 200 of 1827$/)
})

test('a server that closes answers the requests that wait within about a second', async () => {
  const closing = await startServer()
  const app = await closing.newApp()
  await closing.push(sampleStore())
  await closing.apps.authorize(app.client_id, [1001n], byTest)
  const bearer = await closing.token(app)
  const waiting = closing.get('/integration/v1/changes?store_id=1001&wait=30', bearer)
  while (!/tillgate_waiting_requests 1/.test((await closing.get('/metrics')).text)) {
    await new Promise(setImmediate)
  }
  const closed = closing.app.close()
  const { status, json } = await waiting
  assert.equal(status, 200)
  assert.deepEqual(json.data.changes, [])
  await closed
  await closing.storage.close()
})
