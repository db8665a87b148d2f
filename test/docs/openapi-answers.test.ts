import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { maxPending } from '../../src/domain/apps/pending-consents.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { authorizePath, type Client, decide, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { byTest } from '../helpers/by.ts'
import { type ApiDocument, codesIn, errorsOf, readDocument } from '../helpers/openapi.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { parseAnswer, send, sendBytes } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { header } from '../helpers/surfaces.ts'

/** Every answer of the server is as the API reference says, and everything that it promises can be seen. */

let server: TestServer
let limited: TestServer
let api: ApiDocument

before(async () => {
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
  limited = await startServer({ config: { rate_limit: 1 } })
  api = await readDocument(server)
})

after(async () => {
  mock.restoreAll()
  await limited.close()
  await server.close()
})

describe('live answers are as the document says', () => {
  /** Each answer, header and error code that was seen, behind the operation and the status. */
  const seen = new Set<string>()

  /** Headers of HTTP itself, of caches and of browsers, which the document leaves out. */
  const plain =
    /^(content-(type|length|encoding|language|security-policy)|date|connection|keep-alive|transfer-encoding|vary|cache-control|pragma|expires|set-cookie|x-content-type-options|x-frame-options|referrer-policy|permissions-policy|cross-origin-.*|access-control-.*|accept-encoding)$/

  /** Fails when the status is not in the document, or the body or a header not as it says. */
  function check(operationId: string, answer: { status: number; headers: any; text: string }): void {
    const found = api.operations.find(({ operation }) => operation.operationId === operationId)
    assert.ok(found, operationId)
    const { responses } = found.operation
    const known = String(answer.status) in responses ? answer.status : 'default'
    const response = api.follow(responses[known])
    assert.ok(
      response,
      `${operationId} answered ${answer.status}, which the document does not know: ${answer.text}`,
    )
    seen.add(`${operationId} ${known}`)
    const promised = Object.keys(response.headers ?? {})
    const sent = answer.headers instanceof Headers ? [...answer.headers.keys()] : Object.keys(answer.headers)
    for (const name of sent) {
      const promise = promised.find(each => each.toLowerCase() === name)
      assert.ok(promise || plain.test(name), `${operationId} ${answer.status} sent ${name}`)
      seen.add(`${operationId} ${known} ${promise}`)
    }
    for (const name of ['X-Request-Id', 'Retry-After'].filter(name => promised.includes(name)))
      assert.ok(header(answer, name.toLowerCase()), `${operationId} ${answer.status} lacks ${name}`)
    const [type = ''] = (header(answer, 'content-type') ?? '').split(';')
    if (response.content === undefined) {
      if (answer.status !== 303) assert.equal(answer.text, '', operationId)
      return
    }
    const media = response.content[type]
    assert.ok(media, `${operationId} ${answer.status} answered with ${type}`)
    if (type !== 'application/json') return
    const validate = api.compile(media.schema)
    const body = JSON.parse(answer.text) as any
    assert.ok(
      validate(body),
      `${operationId} ${answer.status}: ${errorsOf(validate)} in ${answer.text.slice(0, 500)}`,
    )
    const code = body.status?.errors?.code
    if (code === undefined) return
    assert.ok(codesIn(response.description).includes(code), `${operationId} answered ${code}`)
    seen.add(`${operationId} ${answer.status} ${code}`)
  }

  let app: Client
  let token: string
  let writer: string
  const window = 'store_id=1001&start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2023:59:59'
  const lists: Record<string, string> = {
    listStores: '/integration/v1/stores',
    listOrders: `/integration/v1/orders?${window}`,
    listItems: '/integration/v1/inventory/items?store_id=1001',
    listSales: `/integration/v1/inventory/sales?${window}`,
    listChanges: '/integration/v1/changes?store_id=1001',
    listHeads: '/integration/v1/changes/heads',
    listReceipts: '/integration/v1/receipts?store_id=1001&start_day=2026-11-01&end_day=2026-11-01',
  }

  const postRecords = (body: string | Buffer, headers: Record<string, string> = {}, bearer = writer) =>
    send(server.base, {
      method: 'POST',
      path: '/platform/v1/records',
      body,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson', ...headers },
    })

  const activate = (
    store_id: string,
    options: { bearer?: string; body?: string; base?: string; type?: string } = {},
  ) =>
    send(options.base ?? server.base, {
      method: 'POST',
      path: `/integration/v1/store/${store_id}/activate`,
      headers: {
        authorization: `Bearer ${options.bearer ?? token}`,
        ...(options.type && { 'content-type': options.type }),
      },
      ...(options.body !== undefined && { body: options.body }),
    })

  before(async () => {
    await server.newAccount('owner@example.com')
    await server.push(
      sampleStore(),
      sampleStore({ id: 1002, merchant: null }),
      sampleItem(),
      sampleItem({ id: 13, status: 4, category_name: null }),
      sampleOrder(),
      sampleOrder({ id: 'O-2', status: 11, carts: [], taxes: [], payments: [], promotions: [] }),
    )
    app = await server.newApp({ redirect_uris: [redirectUri] })
    await server.apps.authorize(app.client_id, [1001n], byTest)
    token = await server.token(app)
    writer = await server.token(await server.newApp({ scope: 'platform.write' }))
  })

  for (const [operationId, path] of Object.entries(lists)) {
    test(`${operationId}: 200, 304, 400, 401, 403, 404, 422`, async () => {
      const full = await server.get(path, token)
      check(operationId, full)
      assert.ok(Object.keys(full.json.data).length > 0, 'an empty list proves little')
      const etag = header(full, 'etag')
      check(operationId, await server.get(path, token, { 'if-none-match': etag ?? '*' }))
      check(operationId, await server.get(path))
      check(operationId, await server.get(path, 'garbage'))
      check(operationId, await server.get(path, writer))
      check(operationId, await server.get(`${path}${path.includes('?') ? '&' : '?'}index=-1`, token))
      check(operationId, await server.get(`${path}${path.includes('?') ? '&' : '?'}count=x&index=x`, token))
      if (path.includes('1001')) {
        check(operationId, await server.get(`${path}&store_id=x`, token))
        check(operationId, await server.get(path.replace('1001', '1002'), token))
        check(operationId, await server.get(path.replace('1001', '424242'), token))
      }
      const hostless = `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`
      check(operationId, parseAnswer((await sendBytes(server.base, hostless)) ?? ''))
    })
  }

  test('listOrders, listChanges, listReceipts: their own limits', async () => {
    check('listOrders', await server.get(`${lists['listOrders']}&count=2001`, token))
    check('listChanges', await server.get(`${lists['listChanges']}&count=2001`, token))
    check('listReceipts', await server.get(`${lists['listReceipts']}`.replace('2026', '2024'), token))
    check(
      'listOrders',
      await server.get(`${lists['listOrders']}`.replace('2026-11-01%2023', '2026-11-04%2023'), token),
    )
  })

  test('listStores, listOrders, listItems, listSales, listHeads: the address of the next page', async () => {
    for (const operationId of ['listStores', 'listOrders', 'listItems', 'listSales', 'listHeads']) {
      const path = lists[operationId] ?? ''
      const page = await server.get(`${path}${path.includes('?') ? '&' : '?'}count=1`, token)
      assert.ok(header(page, 'link'))
      check(operationId, page)
    }
  })

  test('listChanges: 409', async () => {
    check('listChanges', await server.get(`${lists['listChanges']}&feed=x`, token))
  })

  test('activateStore: 200, 400, 401, 403, 404, 413, 415, 422', async () => {
    check('activateStore', await activate('1001'))
    check('activateStore', await activate('%zz'))
    check('activateStore', await activate('1001', { bearer: 'x' }))
    check('activateStore', await activate('1001', { bearer: writer }))
    check('activateStore', await activate('1002'))
    check('activateStore', await activate('424242'))
    check('activateStore', await activate('x'))
    check('activateStore', await activate('1001', { body: 'x'.repeat(70_000) }))
    check('activateStore', await activate('1001', { body: 'x', type: ';' }))
  })

  test('writeRecords: 200, 400, 401, 403, 413, 415, 422', async () => {
    check('writeRecords', await postRecords(JSON.stringify(sampleStore())))
    check('writeRecords', await postRecords('x', { 'content-encoding': 'gzip' }))
    check('writeRecords', await postRecords('x', {}, 'garbage'))
    check('writeRecords', await postRecords('x', {}, token))
    check('writeRecords', await postRecords(`"${'x'.repeat(1_100_000)}"`))
    check('writeRecords', await postRecords('x', { 'content-type': 'text/plain' }))
    check('writeRecords', await postRecords('{"kind":"store"}\nnonsense\n'))
    check('writeRecords', await postRecords('\n'))
  })

  test('authorize: 303, 400, 414, 429 and 431', async t => {
    check('authorize', await server.get(authorizePath(app)))
    check('authorize', await server.get(authorizePath(app, { scope: 'x' })))
    check('authorize', await server.get(authorizePath({ client_id: 'nobody' })))
    check('authorize', await server.get(authorizePath(app, { state: 'a'.repeat(13_000) })))
    check('authorize', await server.get(authorizePath(app), undefined, { 'x-long': 'a'.repeat(16_500) }))
    t.mock.method(server.storage.throttles, 'count', async () => maxPending)
    check('authorize', await server.get(authorizePath(app), undefined, { 'x-forwarded-for': '192.0.2.1' }))
  })

  const wrongBasic = { authorization: `Basic ${btoa('nobody:wrong')}` }

  const own = () => ({
    grant_type: 'client_credentials',
    client_id: app.client_id,
    client_secret: app.client_secret,
  })

  test('token: 200 for each grant type, 400, 401, 413, 415, 429', async () => {
    const client = { client_id: app.client_id, client_secret: app.client_secret }
    check('token', await server.post('/auth/v2/token', own()))
    const callback = await decide(server, client)
    const first = await redeem(server, client, callback.searchParams.get('code'))
    check('token', first)
    const key = { 'idempotency-key': 'once' }
    const grant = { grant_type: 'refresh_token', ...client, refresh_token: first.json.refresh_token }
    check('token', await server.post('/auth/v2/token', grant, key))
    check('token', await server.post('/auth/v2/token', grant, key))
    check('token', await refresh(server, client, first.json.refresh_token))
    check('token', await server.post('/auth/v2/token', { ...own(), scope: 'x' }))
    const body = (fields: object, headers: Record<string, string> = {}) =>
      send(server.base, {
        method: 'POST',
        path: '/auth/v2/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ ...fields }).toString(),
      })
    check('token', await body({ ...own(), scope: 'x'.repeat(60_000) }))
    check('token', await body(own(), { 'content-type': ';' }))
    check('token', await body({ grant_type: 'client_credentials' }, wrongBasic))
    for (let i = 0; i < 11; i++)
      check('token', await server.post('/auth/v2/token', { ...own(), client_secret: 'wrong' }))
    server.clock.advance(60)
  })

  for (const operationId of ['introspect', 'revoke'] as const) {
    test(`${operationId}: 200, 400, 401, 413, 415, 429`, async () => {
      const path = `/auth/v2/${operationId}`
      const client = { client_id: app.client_id, client_secret: app.client_secret }
      const callback = await decide(server, client)
      const tokens = (await redeem(server, client, callback.searchParams.get('code'))).json
      for (const token of [
        await server.token(app),
        tokens.access_token,
        tokens.refresh_token,
        'unknown',
        'a.b.c',
      ]) {
        check(operationId, await server.post(path, { ...client, token }))
      }
      check(operationId, await server.post(path, client))
      const raw = (body: string, type: string) =>
        send(server.base, { method: 'POST', path, headers: { 'content-type': type }, body })
      check(operationId, await raw(`token=${'x'.repeat(60_000)}`, 'application/x-www-form-urlencoded'))
      check(operationId, await raw('token=x', ';'))
      check(operationId, await server.post(path, { token: 'x' }, wrongBasic))
      for (let i = 0; i < 11; i++)
        check(operationId, await server.post(path, { ...client, client_secret: 'wrong', token: 'x' }))
      server.clock.advance(60)
    })
  }

  test('jwks and metadata: 200, 400', async () => {
    check('jwks', await server.get('/auth/v2/jwks'))
    check('metadata', await server.get('/.well-known/oauth-authorization-server'))
    for (const [operationId, path] of [
      ['jwks', '/auth/v2/jwks'],
      ['metadata', '/.well-known/oauth-authorization-server'],
    ] as const) {
      const hostless = `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`
      check(operationId, parseAnswer((await sendBytes(server.base, hostless)) ?? ''))
    }
  })

  test('429 of every integration endpoint', async () => {
    await limited.push(sampleStore())
    for (const [operationId, path] of Object.entries(lists)) {
      const busy = await limited.token(await limited.newApp())
      check(operationId, await limited.get(path, busy))
      check(operationId, await limited.get(path, busy))
    }
    const busy = await limited.token(await limited.newApp())
    await activate('1001', { bearer: busy, base: limited.base })
    check('activateStore', await activate('1001', { bearer: busy, base: limited.base }))
  })

  for (const error of [new Error('unforeseen'), new StorageUnavailable('busy')]) {
    test(`${error instanceof StorageUnavailable ? 503 : 500} of every endpoint`, async () => {
      const { storage } = server
      const places = [
        [storage.stores, 'page'],
        [storage.stores, 'access'],
        [storage.orders, 'page'],
        [storage.items, 'page'],
        [storage.sales, 'sum'],
        [storage.changes, 'page'],
        [storage.changes, 'heads'],
        [storage.changes, 'receipts'],
        [storage.records, 'write'],
        [storage.clients, 'facts'],
        [storage.keys, 'list'],
      ] as unknown as [Record<string, () => unknown>, string][]
      // Once, so that its signature is known and only the data is missing.
      await server.get('/integration/v1/stores', token)
      await postRecords(JSON.stringify(sampleStore()))
      for (const [object, method] of places) {
        mock.method(object, method, async () => {
          throw error
        })
      }
      for (const [operationId, path] of Object.entries(lists))
        check(operationId, await server.get(path, token))
      check('activateStore', await activate('1001'))
      check('writeRecords', await postRecords(JSON.stringify(sampleStore({ id: 5 }))))
      check('token', await server.post('/auth/v2/token', own()))
      check('introspect', await server.post('/auth/v2/introspect', { ...own(), token: 'x' }))
      check('revoke', await server.post('/auth/v2/revoke', { ...own(), token: 'x' }))
      check('jwks', await server.get('/auth/v2/jwks'))
      check('metadata', await server.get('/.well-known/oauth-authorization-server'))
      mock.restoreAll()
      mock.method(storage.apps, 'find', async () => {
        throw error
      })
      check('authorize', await server.get(authorizePath(app)))
      mock.restoreAll()
    })
  }

  const promised = (of: (response: any, status: string) => string[]): string[] =>
    api.operations.flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        of(api.follow(response), status).map(what => `${operation.operationId} ${what}`),
      ),
    )

  test('every answer that the document promises was seen', () => {
    const missing = promised((_response, status) => [status]).filter(answer => !seen.has(answer))
    assert.deepEqual(missing, [])
  })

  test('every code that it promises for a rejected request was seen', () => {
    const missing = promised(({ description }, status) =>
      /^4(03|04|09|22)$/.test(status) ? codesIn(description).map(code => `${status} ${code}`) : [],
    ).filter(code => !seen.has(code))
    assert.deepEqual(missing, [])
  })

  test('every header that it promises for an operation was seen', () => {
    const headers = new Set([...seen].map(each => each.replace(/ \w+ /, ' ')))
    // `/platform` shares the descriptions of errors with `/integration`, which alone has a limit.
    const missing = promised(({ headers }) => Object.keys(headers ?? {})).filter(
      name => !headers.has(name) && !name.startsWith('writeRecords RateLimit'),
    )
    assert.deepEqual([...new Set(missing)], [])
  })
})
