import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { mock, type TestContext, test } from 'node:test'
import { createReadFigures } from '../../src/domain/usage/reads.ts'
import { StorageUnavailable, type LoggedRequest } from '../../src/storage/port/index.ts'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import type { Answer, ServerOptions } from '../helpers/server.ts'
import {
  activate,
  day,
  items,
  orders,
  sales,
  startWorld,
  stores,
  type World,
  withQuery,
} from '../helpers/world.ts'

/** What the server counts and logs of the requests it answers, as it stands in the database once it is closed. */

async function startHere(
  t: TestContext,
  ids: number[] = [1001, 1002],
  options: ServerOptions = {},
): Promise<World> {
  const world = await startWorld(ids, options)
  t.after(() => world.close())
  return world
}

const idOf = (answer: Answer): string => answer.headers.get('x-request-id') ?? ''

/** Closes the server, which flushes, and leaves the database open. */
async function settled({ server }: World) {
  await server.app.close()
  const { usage } = server.storage
  const now = server.clock.now()
  const span = { width: 3600, from: now - 86_400, to: now }
  return {
    reads: async (store_id: number, app_id: string | null = null) => {
      const [row] = await usage.reads({ ...span, store_ids: [BigInt(store_id)], app_id, by: [] })
      return row && [row.requests, row.orders, row.items, row.sales]
    },
    requests: async (app_id: string) =>
      Object.fromEntries(
        (await usage.requests({ ...span, app_id, by: 'endpoint' })).map(row => [
          row.key,
          [row.requests, row.client_errors, row.server_errors],
        ]),
      ),
    find: (app_id: string, answer: Answer) => usage.logged(app_id, idOf(answer)),
    log: (app_id: string): Promise<LoggedRequest[]> =>
      usage.log({ app_id, errors_only: false, endpoint: null, before: null, limit: 1000 }),
    ingest: () => usage.ingest(span),
  }
}

test('the orders, items and sales that an app reads from a store are counted; a 304 and a HEAD count none', async t => {
  const world = await startHere(t)
  await world.push(
    ...Array.from({ length: 3 }, (_, i) => sampleOrder({ id: `O-${i}` })),
    ...Array.from({ length: 600 }, (_, i) => sampleItem({ id: i + 1 })),
    sampleOrder({ store_id: 1002, id: 'other' }),
  )
  const first = await world.read(orders, day)
  assert.equal(first.json.data.length, 3)
  const etag = first.headers.get('etag') ?? ''
  const token = await world.token()
  const again = await world.server.get(withQuery(orders, day), token, { 'if-none-match': etag })
  assert.equal(again.status, 304)
  await world.list(orders, { ...day, count: 2 })
  assert.equal((await world.list(items, { store_id: 1001, count: 550 })).length, 550)
  assert.equal((await world.list(sales, day)).length, 1)
  await world.list(stores)
  await world.list(orders, { ...day, store_id: 1002 })
  const head = await fetch(`${world.server.base}${withQuery(orders, day)}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(head.status, 200)

  const { reads, requests } = await settled(world)
  assert.deepEqual(await reads(1001), [6, 5, 550, 1])
  assert.deepEqual(await reads(1001, world.reader.client_id), [6, 5, 550, 1])
  assert.deepEqual(await reads(1002), [1, 1, 0, 0])
  assert.equal(await reads(1003), undefined)
  assert.deepEqual(await requests(world.reader.client_id), {
    'GET /integration/v1/inventory/items': [1, 0, 0],
    'GET /integration/v1/inventory/sales': [1, 0, 0],
    'GET /integration/v1/orders': [4, 0, 0],
    'GET /integration/v1/stores': [1, 0, 0],
    'HEAD /integration/v1/orders': [1, 0, 0],
    'POST /auth/v2/token': [1, 0, 0],
  })
})

test('a rejected request is not a read of the store', async t => {
  const world = await startHere(t, [1001])
  await world.push(sampleStore({ id: 7 }), sampleOrder({ store_id: 7 }))
  const refused = await world.read(orders, { ...day, store_id: 7 })
  assert.equal(refused.status, 403)
  const other = await world.server.newApp()
  await world.server.get(withQuery(orders, day), await world.server.token(other))
  await world.read(orders, day)
  const { reads, find } = await settled(world)
  assert.equal(await reads(7), undefined)
  assert.deepEqual(await reads(1001), [1, 0, 0, 0])
  const entry = await find(world.reader.client_id, refused)
  assert.deepEqual([entry?.store_id, entry?.status, entry?.error_code], [7n, 403, 'store_forbidden'])
  const figures = createReadFigures({
    storage: world.server.storage,
    clock: world.server.clock,
    recorder: { flush: async () => {} },
  })
  assert.deepEqual([...(await figures.byApp([7n])).keys()], [])
  assert.deepEqual([...(await figures.byApp([1001n])).keys()], [world.reader.client_id])
})

test('every error of an app is in its log under the request id, with the code of the response', async t => {
  const world = await startHere(t, [1001], { config: { rate_limit: 5 } })
  const { server, reader } = world
  const old = await world.token()
  server.clock.advance(40 * 86_400)
  const expired = await server.get(stores, old)
  const narrow = await server.token(reader, 'integration.store')
  const scope = await server.get(withQuery(orders, day), narrow)
  const parameter = await world.read(orders, { ...day, count: 'many' })
  const missing = await world.read(orders, { ...day, store_id: 404 })
  const window = await world.read(orders, { ...day, end_date: '2026-12-24 00:00:00' })
  await world.read(stores)
  await world.read(stores)
  const limited = await world.read(stores)
  const secret = await server.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    client_id: reader.client_id,
    client_secret: 'wrong',
  })
  const credentials = credentialsOf(reader)
  const code = await server.post('/auth/v2/token', {
    grant_type: 'authorization_code',
    code: 'none',
    redirect_uri: 'https://a.example/cb',
    ...credentials,
  })
  const grant = await server.post('/auth/v2/token', { grant_type: 'password', ...credentials })
  const basic = Buffer.from(`${reader.client_id}:wrong`).toString('base64')
  const header = await server.post('/auth/v2/introspect', { token: 'x' }, { authorization: `Basic ${basic}` })

  const other = await server.newApp({ redirect_uris: ['https://a.example/cb'] })
  const grantless = await server.post('/auth/v2/token', {
    grant_type: 'authorization_code',
    code: 'none',
    redirect_uri: 'https://a.example/cb',
    ...credentialsOf(other),
  })

  const { find, log, requests } = await settled(world)
  assert.equal((await find(other.client_id, grantless))?.error_code, 'invalid_grant')
  assert.equal(await find(reader.client_id, grantless), null)
  for (const [answer, status, error_code, endpoint] of [
    [expired, 401, 'token_expired', 'GET /integration/v1/stores'],
    [scope, 403, 'scope_insufficient', 'GET /integration/v1/orders'],
    [parameter, 422, 'parameter_invalid', 'GET /integration/v1/orders'],
    [missing, 404, 'store_not_found', 'GET /integration/v1/orders'],
    [window, 422, 'window_too_long', 'GET /integration/v1/orders'],
    [limited, 429, 'rate_limited', 'GET /integration/v1/stores'],
    [secret, 401, 'invalid_client', 'POST /auth/v2/token'],
    // Which the provider calls invalid_request.
    [code, 400, 'unauthorized_client', 'POST /auth/v2/token'],
    [grant, 400, 'unsupported_grant_type', 'POST /auth/v2/token'],
    [header, 401, 'invalid_client', 'POST /auth/v2/introspect'],
  ] as const) {
    assert.equal(answer.status, status, answer.text)
    const entry = await find(reader.client_id, answer)
    assert.deepEqual([entry?.status, entry?.error_code, entry?.endpoint], [status, error_code, endpoint])
    assert.ok(entry && entry.milliseconds > 0 && entry.milliseconds < 10_000)
  }
  const counted = await requests(reader.client_id)
  assert.deepEqual(counted['GET /integration/v1/orders'], [4, 4, 0])
  const text = JSON.stringify(await log(reader.client_id), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  for (const absent of ['wrong', old, narrow, 'Bearer']) {
    assert.ok(!text.includes(absent), `the log has ${absent}`)
  }
})

test('of a refused request the log keeps the query and the problem; of others neither', async t => {
  const world = await startHere(t)
  const { client_id } = world.reader
  const good = await world.read(orders, day)
  const bad = await world.read(orders, { store_id: 1001, start_date: 'today', count: 'many' })
  const long = await world.read(orders, { ...day, end_date: '2026-12-24 00:00:00' })
  const forbidden = await world.read(orders, { ...day, store_id: 7 })
  const head = await fetch(`${world.server.base}${orders}?store_id=x`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${await world.token()}` },
  })
  const grant = await world.server.post('/auth/v2/token?client_secret=a-secret-in-the-query', {
    grant_type: 'password',
    ...credentialsOf(world.reader),
  })
  const lines = `${JSON.stringify(sampleOrder({ carts: 7 as never }))}\n{"kind":"order","\\u0000":1}`
  const record = await world.write(lines)
  const nobody = await world.server.get(`${orders}?store_id=1001`)
  const { find } = await settled(world)
  const kept = async (answer: Pick<Answer, 'headers'>, app_id = client_id) => {
    const entry = await find(app_id, answer as Answer)
    return [entry?.query, entry?.problem]
  }
  assert.deepEqual(await kept(good), [null, null])
  assert.deepEqual(await kept(bad), [
    'store_id=1001&start_date=today&count=many',
    [
      'start_date was "today"; it must be a real UTC time as yyyy-MM-dd HH:mm:ss; end_date is required; ' +
        'count was "many"; it must be a whole number in plain digits',
      'start_date: not_a_datetime',
      'end_date: required',
      'count: not_an_integer',
    ].join('\n'),
  ])
  const [, tooLong] = await kept(long)
  assert.match(tooLong ?? '', /^the window was \d+ s; the maximum is 172800 s .*\nend_date: window_too_long$/)
  assert.match((await kept(forbidden)).join(' '), /^store_id=7&start_date=2026.* store/)
  assert.deepEqual((await kept(head))[0], 'store_id=x')
  assert.deepEqual((await kept(grant))[0], null)
  assert.match((await kept(grant))[1] ?? '', /grant/)
  assert.equal(record.status, 422, record.text)
  const [query, problem] = await kept(record, world.platform.client_id)
  assert.equal(query, null)
  assert.match(
    problem ?? '',
    /^2 lines are invalid, so nothing was stored: 1-2\nline 1, carts: type\nline 2, /,
  )
  assert.ok(problem?.includes('line 2, ["\\u0000"]: unknown_field'), problem ?? '')
  assert.deepEqual(await kept(nobody, ''), [null, null])
})

test('no secret that an app puts into a query is in the log', async t => {
  const world = await startHere(t)
  const token = await world.token()
  const { client_id, client_secret } = world.reader
  const entries: string[] = []
  const queries = [
    `access_token=${token}`,
    `x=${token}`,
    `store_id=${token}`,
    `cursor=${token}`,
    `feed=Bearer+${token}`,
    `x=${[...token].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')}`,
    `x=${client_secret}`,
    `store_id=${client_secret}`,
    client_secret,
    `client_secret=${client_secret}&count=x`,
    `a=1;client%5Fsecret=${client_secret}`,
  ]
  for (const query of queries) {
    const { status } = await world.server.get(`${orders}?${query}`, token)
    assert.equal(status, 422)
  }
  const { log } = await settled(world)
  for (const { query, problem } of await log(client_id)) entries.push(`${query} ${problem}`)
  assert.equal(entries.filter(text => text.includes('[removed]')).length, queries.length)
  // No part of them either: 12 characters of a secret do not occur by chance.
  for (const secret of [token, client_secret]) {
    for (let at = 0; at + 12 <= secret.length; at++) {
      const part = secret.slice(at, at + 12)
      assert.ok(!entries.some(text => text.includes(part)), `the log has ${part}`)
    }
  }
})

test('a revoked token counts as its app’s error; requests without a known app are counted without one', async t => {
  const world = await startHere(t)
  const { server, reader } = world
  const token = await world.token()
  const revoked = await server.post('/auth/v2/revoke', { token, ...credentialsOf(reader) })
  assert.equal(revoked.status, 200)
  const refused = await server.get(stores, token)
  const anonymous = await server.get(stores)
  const forged = await server.get(stores, 'a.b.c')
  const unknown = await server.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    client_id: 'nobody',
    client_secret: 'x',
  })
  const nowhere = await server.get('/integration/v1/nothing?secret=1', token)
  const unreadable = await server.get('/integration/v1/%zz', token)
  assert.equal(unreadable.status, 400)
  const method = await fetch(`${server.base}${stores}`, { method: 'DELETE' })
  assert.equal(method.status, 405)
  const large = await server.post('/auth/v2/token', { padding: 'x'.repeat(60_000) })
  for (const path of ['/health/live', '/metrics', '/openapi.json', '/login', '/auth/v2/jwks', '/nothing'])
    await server.get(path)

  const { find, requests } = await settled(world)
  assert.equal((await find(reader.client_id, refused))?.error_code, 'token_revoked')
  for (const [answer, error_code] of [
    [anonymous, 'token_missing'],
    [forged, 'token_invalid'],
    [unknown, 'invalid_client'],
    [nowhere, 'route_not_found'],
    [unreadable, 'request_malformed'],
    [large, 'invalid_request'],
  ] as const) {
    assert.equal((await find('', answer))?.error_code, error_code)
    assert.equal(await find(reader.client_id, answer), null)
  }
  assert.deepEqual(await requests(''), {
    'DELETE /integration/v1/stores': [1, 1, 0],
    'GET /integration/v1/stores': [2, 2, 0],
    'POST /auth/v2/token': [2, 2, 0],
    'no such endpoint': [2, 2, 0],
  })
  assert.deepEqual((await requests(reader.client_id))['POST /auth/v2/revoke'], [1, 0, 0])
})

test('an activation has its store in the log, and is not a read of it', async t => {
  const world = await startHere(t)
  const answer = await world.server.post(
    activate(1001),
    {},
    { authorization: `Bearer ${await world.token()}` },
  )
  assert.equal(answer.status, 200)
  const { find, reads } = await settled(world)
  const entry = await find(world.reader.client_id, answer)
  assert.deepEqual(
    [entry?.store_id, entry?.endpoint],
    [1001n, 'POST /integration/v1/store/:store_id/activate'],
  )
  assert.equal(await reads(1001), undefined)
})

test('a batch that the platform pushes is counted with its lag; a rejected one is not', async t => {
  const world = await startHere(t, [1001])
  await world.push(sampleOrder(), sampleOrder({ id: 'O-2', updated_at: '2026-11-01 09:30:00' }), sampleItem())
  await world.push(sampleOrder())
  assert.equal((await world.write('{')).status, 422)
  const { ingest } = await settled(world)
  const [hour, ...others] = await ingest()
  assert.deepEqual(others, [])
  // The newest of its orders was updated at 09:31.
  const lag = world.server.clock.now() - Date.UTC(2026, 10, 1, 9, 31) / 1000
  assert.deepEqual(
    [hour?.requests, hour?.stores, hour?.items, hour?.orders, hour?.unchanged],
    [3, 1, 1, 2, 1],
  )
  assert.deepEqual([hour?.lagged, hour?.lag_last, hour?.lag_max, hour?.lag_sum], [1, lag, lag, lag])
})

test('when figures cannot be written no request fails, and the log has one line', async t => {
  const world = await startHere(t)
  const { usage } = world.server.storage
  const add = mock.method(usage, 'add', async () => {
    throw new StorageUnavailable('no figures today')
  })
  t.after(() => add.mock.restore())
  for (let i = 0; i < 20; i++) assert.equal((await world.read(orders, day)).status, 200)
  await world.server.app.close()
  const said = world.server.log.filter(line => line.includes('usage figures cannot be written'))
  assert.equal(said.length, 1)
  assert.ok(add.mock.callCount() >= 1)
})

test('a request in flight while the server closes is counted', async t => {
  const world = await startHere(t)
  const { server } = world
  const token = await world.token()
  let release = () => {}
  const { page } = server.storage.orders
  const asked = Promise.withResolvers<void>()
  mock.method(server.storage.orders, 'page', async (...values: Parameters<typeof page>) => {
    asked.resolve()
    await new Promise<void>(resolve => {
      release = resolve
    })
    return page(...values)
  })
  t.after(() => mock.restoreAll())
  const { port } = new URL(server.base)
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    path: withQuery(orders, day),
    headers: { authorization: `Bearer ${token}` },
  }).end()
  const answered = once(sent, 'response')
  await asked.promise
  const closing = settled(world)
  release()
  const [response] = await answered
  assert.equal(response.statusCode, 200)
  response.resume()
  const { reads } = await closing
  assert.deepEqual(await reads(1001), [1, 0, 0, 0])
})

test('a client that closes the connection before the response is counted as 499', async t => {
  const world = await startHere(t)
  const { server } = world
  const token = await world.token()
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const { page } = server.storage.orders
  mock.method(server.storage.orders, 'page', async (...values: Parameters<typeof page>) => {
    asked.resolve()
    await gone.promise
    return page(...values)
  })
  t.after(() => mock.restoreAll())
  const { port } = new URL(server.base)
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    path: withQuery(orders, day),
    headers: { authorization: `Bearer ${token}` },
  }).end()
  sent.on('error', () => {})
  await asked.promise
  sent.destroy()
  while (!server.log.some(line => line.includes('"aborted":true'))) await new Promise(setImmediate)
  gone.resolve()
  const { log } = await settled(world)
  const [entry] = await log(world.reader.client_id)
  assert.deepEqual([entry?.status, entry?.error_code], [499, 'answer_incomplete'])
})

test('/metrics counts what was dropped', async t => {
  const world = await startHere(t)
  const { text } = await world.server.get('/metrics')
  assert.match(text, /^tillgate_usage_dropped_total\{what="counts"\} 0$/m)
  assert.match(text, /^tillgate_usage_dropped_total\{what="log"\} 0$/m)
})

const credentialsOf = ({ client_id, client_secret }: World['reader']) => ({ client_id, client_secret })

test('an authorization request that got a page is in the log of the app that it names, without its query', async t => {
  const world = await startHere(t)
  const { server } = world
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const opened = await server.get(authorizePath(app))
  const redirected = await server.get(authorizePath(app, { scope: 'x' }))
  const unknown = await server.get(authorizePath({ client_id: 'nobody' }))
  const refused = await server.get(
    authorizePath(app, { redirect_uri: 'http://127.0.0.1/cb?shop=7', state: 'my-state' }),
  )
  for (let i = 0; i < 40; i++) await server.get(authorizePath(app, { redirect_uri: undefined }))
  const { find, log, requests } = await settled(world)
  for (const answer of [opened, redirected]) assert.equal(await find(app.client_id, answer), null)
  assert.equal(await find('', unknown), null)
  const entry = await find(app.client_id, refused)
  assert.deepEqual(
    [entry?.endpoint, entry?.status, entry?.error_code, entry?.query],
    ['GET /auth/v2/authorize', 400, 'invalid_redirect_uri', null],
  )
  assert.match(entry?.problem ?? '', /^The redirect_uri http:\/\/127\.0\.0\.1\/cb… is not registered/)
  assert.equal((await log(app.client_id)).length, 20, 'a stranger cannot fill the log')
  assert.deepEqual(await requests(app.client_id), { 'GET /auth/v2/authorize': [20, 20, 0] })
  assert.deepEqual(await requests(''), {})
})
