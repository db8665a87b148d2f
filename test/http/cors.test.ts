import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { challenge, codeOf, redirectUri, verifier } from '../helpers/authorize.ts'
import { byTest } from '../helpers/by.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type RawAnswer, send } from '../helpers/raw.ts'
import { routesOf } from '../helpers/routes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** Script may call the server from the origins of an app's redirect URIs, with that app's tokens, and from no other. */

const page = new URL(redirectUri).origin
const otherPage = 'https://other.example:8443'
const loopback = 'http://127.0.0.1:4567'
const retiredPage = 'https://retired.example'

type NewApp = Awaited<ReturnType<TestServer['newApp']>>

let server: TestServer
let publicApp: NewApp
let other: NewApp
let publicToken: string
let otherToken: string

const stores = '/integration/v1/stores'
const orders =
  '/integration/v1/orders?store_id=1001&start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2023:59:59'
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore(), sampleOrder())
  publicApp = await server.newApp({
    redirect_uris: [redirectUri, `${loopback}/cb`],
    public: true,
    scope: 'integration.store',
  })
  other = await server.newApp({ redirect_uris: [`${otherPage}/cb`] })
  const retired = await server.newApp({ redirect_uris: [`${retiredPage}/cb`], public: true })
  await server.apps.setDisabled(retired.client_id, true, byTest)
  await server.apps.authorize(other.client_id, [1001n], byTest)
  otherToken = await server.token(other)
  const code = await codeOf(server, publicApp, { changes: pkce })
  const answer = await exchange(code)
  publicToken = JSON.parse(answer.text).access_token
})

after(() => server.close())

/** What the public app's page sends. */
const exchange = (code: string, origin: string = page) =>
  post('/auth/v2/token', origin, {
    grant_type: 'authorization_code',
    client_id: publicApp.client_id,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
  })

const post = (path: string, origin: string, fields: Record<string, string>) =>
  send(server.base, {
    method: 'POST',
    path,
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })

const get = (path: string, origin: string | string[], token?: string, headers = {}) =>
  send(server.base, {
    path,
    headers: { origin, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  })

const preflight = (path: string, origin: string | string[], method = 'GET') =>
  send(server.base, {
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  })

const allowedOrigin = ({ headers }: RawAnswer) => headers['access-control-allow-origin']

/** Nothing in the answer lets script of another origin read it. */
function assertClosed(answer: RawAnswer, what: string): void {
  const names = Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))
  assert.deepEqual(names, [], what)
}

/** Origins that resemble a registered one. */
const strangers = [
  'https://evil.example',
  'null',
  '*',
  'https://app.example.com.evil.example',
  'https://evil-app.example.com',
  'https://sub.app.example.com',
  'https://app.example.co',
  'http://app.example.com',
  'https://app.example.com:443',
  'https://app.example.com:8443',
  'https://app.example.com/',
  'https://app.example.com/cb',
  'https://user@app.example.com',
  'HTTPS://APP.EXAMPLE.COM',
  'https://app.example.com https://evil.example',
  'https://app.example.com, https://evil.example',
  'https://app_example.com',
  'https://%',
  'http://127.0.0.1:4568',
  'http://localhost:4567',
  'https://127.0.0.1:4567',
  'http://127.0.0.1',
  'http://127.0.0.1:45670',
  'https://other.example',
  retiredPage,
]

describe('the request that a browser sends first', () => {
  const rows = [
    { path: orders, origin: page, method: 'GET', methods: 'GET, HEAD' },
    { path: stores, origin: loopback, method: 'GET', methods: 'GET, HEAD' },
    { path: stores, origin: otherPage, method: 'HEAD', methods: 'GET, HEAD' },
    { path: '/integration/v1/store/1001/activate', origin: page, method: 'POST', methods: 'POST' },
    { path: '/auth/v2/token', origin: page, method: 'POST', methods: 'POST' },
    { path: '/auth/v2/revoke', origin: loopback, method: 'POST', methods: 'POST' },
    { path: '/auth/v2/jwks', origin: 'https://any.example', method: 'GET', methods: 'GET, HEAD' },
  ]
  for (const { path, origin, method, methods } of rows) {
    test(`${method} ${path.slice(0, 40)} from ${origin} is allowed, without cookies, for ten minutes`, async () => {
      const answer = await preflight(path, origin, method)
      assert.equal(answer.status, 204)
      assert.equal(allowedOrigin(answer), origin)
      assert.equal(answer.headers['access-control-allow-methods'], methods)
      const allowed = answer.headers['access-control-allow-headers']?.split(', ') ?? []
      for (const name of ['authorization', 'if-none-match', 'idempotency-key', 'content-type'])
        assert.ok(allowed.includes(name), name)
      assert.equal(answer.headers['access-control-max-age'], '600')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      assert.match(answer.headers.vary ?? '', /origin/i)
      assert.ok(answer.headers['x-request-id'])
    })
  }

  test('is refused from every other origin, as OPTIONS is without one', async () => {
    for (const origin of strangers) {
      for (const [path, method] of [
        [stores, 'GET'],
        ['/auth/v2/token', 'POST'],
      ] as const) {
        const answer = await preflight(path, origin, method)
        assert.equal(answer.status, 405, origin)
        assertClosed(answer, `${origin} ${path}`)
        assert.match(answer.headers.vary ?? '', /origin/i)
      }
    }
    const without = await send(server.base, { method: 'OPTIONS', path: stores })
    assert.deepEqual([without.status, without.headers.allow], [405, 'GET, HEAD'])
  })

  test('is refused for a method that the path does not have, and when it names none', async () => {
    for (const method of ['DELETE', 'POST', 'get', 'OPTIONS', '']) {
      const answer = await preflight(stores, page, method)
      assert.equal(answer.status, 405, method)
      assertClosed(answer, method)
    }
  })

  test('a page of an app with a secret may not request tokens', async () => {
    for (const path of ['/auth/v2/token', '/auth/v2/revoke'])
      assertClosed(await preflight(path, otherPage, 'POST'), path)
  })

  test('an app’s origin counts from the moment it is registered until the app is disabled', async () => {
    const origin = 'https://new.example'
    const answers = async () => (await preflight(stores, origin)).status
    assert.equal(await answers(), 405)
    const app = await server.newApp({ redirect_uris: [`${origin}/cb`] })
    assert.equal(await answers(), 204)
    await server.apps.setDisabled(app.client_id, true, byTest)
    assert.equal(await answers(), 405)
    await server.apps.setDisabled(app.client_id, false, byTest)
    assert.equal(await answers(), 204)
  })
})

describe('the API', () => {
  test('lets the pages of the token’s app read the answer and its headers', async () => {
    for (const [origin, token, path] of [
      [page, publicToken, stores],
      [loopback, publicToken, stores],
      [otherPage, otherToken, orders],
      [otherPage, otherToken, '/integration/v1/changes?store_id=1001'],
      [otherPage, otherToken, '/integration/v1/changes/heads'],
    ] as const) {
      const answer = await get(path, origin, token)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(allowedOrigin(answer), origin)
      assert.match(answer.headers.vary ?? '', /\borigin\b/)
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      const exposed = answer.headers['access-control-expose-headers']?.split(', ') ?? []
      for (const name of ['ETag', 'Link', 'Retry-After', 'X-Request-Id', 'RateLimit-Remaining'])
        assert.ok(exposed.includes(name), name)
    }
  })

  test('also 304 and errors, so that script can read why', async () => {
    const { headers } = await get(orders, otherPage, otherToken)
    const rows: [number, string, Record<string, string>][] = [
      [304, orders, { 'if-none-match': String(headers.etag) }],
      [422, `${orders}&count=0`, {}],
      [404, orders.replace('1001', '424242'), {}],
    ]
    for (const [status, path, more] of rows) {
      const answer = await get(path, otherPage, otherToken, more)
      assert.deepEqual([answer.status, allowedOrigin(answer)], [status, otherPage])
    }
    const scope = await get(orders, page, publicToken)
    assert.deepEqual([scope.status, allowedOrigin(scope)], [403, page])
  })

  test('a token that has expired is refused readably; one that cannot be verified names no app', async () => {
    for (const token of [undefined, 'x', `${otherToken}x`]) {
      const answer = await get(orders, otherPage, token)
      assert.equal(answer.status, 401)
      assertClosed(answer, token ?? 'no token')
    }
    server.clock.advance(400 * 86_400)
    const late = await get(orders, otherPage, otherToken)
    assert.deepEqual([late.status, allowedOrigin(late)], [401, otherPage])
    assertClosed(await get(orders, page, otherToken), 'of another app')
    server.clock.advance(-400 * 86_400)
  })

  test('keeps every other origin out, those of other apps too; the answer itself stays the same', async () => {
    for (const origin of [...strangers, page, loopback]) {
      const answer = await get(orders, origin, otherToken)
      assert.equal(answer.status, 200, origin)
      assertClosed(answer, origin)
    }
    assertClosed(await get(stores, otherPage, publicToken), otherPage)
    assertClosed(await get(stores, [page, 'https://evil.example'], publicToken), 'two origins')
    assertClosed(
      await send(server.base, { path: stores, headers: { authorization: `Bearer ${publicToken}` } }),
      '',
    )
  })

  test('a disabled app’s pages read nothing any more, not even that its token was revoked', async () => {
    const origin = 'https://soon-retired.example'
    const app = await server.newApp({ redirect_uris: [`${origin}/cb`] })
    const token = await server.token(app)
    assert.equal(allowedOrigin(await get(stores, origin, token)), origin)
    await server.apps.setDisabled(app.client_id, true, byTest)
    const answer = await get(stores, origin, token)
    assert.equal(answer.status, 401)
    assertClosed(answer, 'disabled')
  })

  test('a request without an origin asks the database nothing more', async t => {
    const find = t.mock.method(server.storage.apps, 'find')
    const redirectingTo = t.mock.method(server.storage.apps, 'redirectingTo')
    await server.get(orders, otherToken)
    assert.deepEqual([find.mock.callCount(), redirectingTo.mock.callCount()], [0, 0])
    await get(orders, otherPage, otherToken)
    assert.equal(find.mock.callCount(), 1)
  })
})

describe('the token endpoint', () => {
  test('lets the pages of a public app exchange, renew and revoke, and read errors', async () => {
    const code = await codeOf(server, publicApp, { changes: pkce })
    const tokens = await exchange(code)
    assert.deepEqual([tokens.status, allowedOrigin(tokens)], [200, page], tokens.text)
    assert.match(tokens.headers['access-control-expose-headers'] ?? '', /Idempotent-Replayed/)
    assert.match(tokens.headers.vary ?? '', /origin/i)
    const { refresh_token, access_token } = JSON.parse(tokens.text)
    const { client_id } = publicApp
    const renewed = await post('/auth/v2/token', page, {
      grant_type: 'refresh_token',
      client_id,
      refresh_token,
    })
    assert.deepEqual([renewed.status, allowedOrigin(renewed)], [200, page])
    const again = await exchange(code)
    assert.deepEqual([again.status, allowedOrigin(again)], [400, page])
    const revoked = await post('/auth/v2/revoke', page, { client_id, token: access_token })
    assert.deepEqual([revoked.status, allowedOrigin(revoked)], [200, page])
  })

  test('refuses every other origin before it looks at the code', async () => {
    const code = await codeOf(server, publicApp, { changes: pkce })
    for (const origin of [...strangers, otherPage]) {
      const answer = await exchange(code, origin)
      assert.deepEqual([answer.status, JSON.parse(answer.text).error], [400, 'invalid_request'], origin)
      assertClosed(answer, origin)
    }
    assert.equal((await exchange(code)).status, 200, 'the code is still good')
  })

  test('refuses pages of an app with a secret, of a disabled app and of no app', async () => {
    const { client_id, client_secret } = other
    const own = { grant_type: 'client_credentials', client_id, client_secret }
    const rows: [string, Record<string, string>][] = [
      [otherPage, own],
      [otherPage, { ...own, client_secret: 'wrong' }],
      [page, { grant_type: 'authorization_code', client_id: 'nobody', code: 'x' }],
      [page, { grant_type: 'authorization_code', code: 'x' }],
      [retiredPage, { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' }],
    ]
    for (const [origin, fields] of rows) {
      const answer = await post('/auth/v2/token', origin, fields)
      assert.ok(answer.status >= 400, answer.text)
      assertClosed(answer, JSON.stringify(fields))
    }
    assertClosed(
      await post('/auth/v2/introspect', page, { client_id: publicApp.client_id, token: publicToken }),
      'introspection',
    )
  })

  test('a request without an origin gets no CORS headers', async () => {
    const answer = await server.post('/auth/v2/token', {
      grant_type: 'client_credentials',
      client_id: other.client_id,
      client_secret: other.client_secret,
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  })
})

test('every other route is closed: pages, the platform’s endpoint, introspection, health, metrics', async () => {
  const paths = routesOf(server.app)
    .filter(url => !/^\/(integration\/|auth\/v2\/(token|revoke|jwks)|\.well-known\/)/.test(url))
    .map(url => url.replaceAll(/:\w+/g, 'x'))
  assert.ok(paths.length > 20)
  for (const path of [...paths, '/integration/v1/nothing', '/nothing']) {
    for (const origin of [page, server.base]) {
      for (const method of ['GET', 'POST'])
        assertClosed(await preflight(path, origin, method), `OPTIONS ${path}`)
      assertClosed(await get(path, origin, otherToken), path)
    }
  }
})
