import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { send } from '../helpers/raw.ts'
import { png } from '../helpers/images.ts'
import { routesOf } from '../helpers/routes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header, type Surface } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'
import { app } from '../storage/suite/fixtures.ts'

/** Every refusal that has nothing to do with an endpoint's own rules, in the format of the surface it happens on. */

let server: TestServer

before(async () => {
  server = await startServer()
  // Else there is no /signup.
  await server.storage.switches.set('sign_up', true)
  await server.storage.brand.save({ name: null, accent: '#3451c6', support: null })
  await server.storage.apps.create(app('1'), null)
  await server.storage.logos.set('1', { type: 'image/png', version: 'v', content: png(2, 2) })
})

after(() => server.close())

describe('a path that no endpoint has is 404', () => {
  const rows: { path: string; surface: Surface }[] = [
    { path: '/integration', surface: 'envelope' },
    { path: '/integration/v1/nothing', surface: 'envelope' },
    { path: '/integration/v1/stores/', surface: 'envelope' },
    { path: '/integration/v2/stores', surface: 'envelope' },
    { path: '/platform/v1/nothing', surface: 'envelope' },
    { path: '/health', surface: 'envelope' },
    { path: '/auth/v2/nothing', surface: 'oauth' },
    { path: '/auth/v1/token', surface: 'oauth' },
    { path: '/.well-known/openid-configuration', surface: 'oauth' },
    { path: '/login/', surface: 'page' },
    { path: '/robots.txt', surface: 'page' },
    { path: '/..%2fetc%2fpasswd', surface: 'page' },
    { path: `/integration/v1/${'a'.repeat(9000)}`, surface: 'envelope' },
    { path: `/${'a'.repeat(9000)}?${'b'.repeat(3000)}`, surface: 'page' },
    { path: 'http://elsewhere.example/integration/v1/nothing', surface: 'envelope' },
  ]
  for (const { path, surface } of rows) {
    test(`${path.slice(0, 60)} in the format: ${surface}`, async () => {
      const answer = await send(server.base, { path })
      assertError(surface, answer, 404, surface === 'oauth' ? 'invalid_request' : 'route_not_found')
      assert.doesNotMatch(answer.text, /a{200}/, 'a long path is not repeated in full')
      const head = await send(server.base, { path, method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [404, ''])
    })
  }
})

describe('a URL that cannot be decoded is 400', () => {
  const rows: { path: string; surface: Surface; methods?: string[] }[] = [
    { path: '/%zz', surface: 'page' },
    { path: '/consent/%zz', surface: 'page' },
    { path: '/integration/v1/%zz', surface: 'envelope' },
    { path: '/integration/v1/store/%/activate', surface: 'envelope' },
    { path: '/integration/v1/store/%C0%AF/activate', surface: 'envelope' },
    { path: `/integration/v1/store/${'1'.repeat(129)}/activate`, surface: 'envelope', methods: ['POST'] },
    { path: '/platform/v1/%E0%A4%A', surface: 'envelope' },
    { path: '/auth/v2/%zz', surface: 'oauth' },
    { path: '/.well-known/%zz', surface: 'oauth' },
  ]
  for (const { path, surface, methods = ['GET', 'POST'] } of rows) {
    test(`${path.slice(0, 60)} in the format: ${surface}`, async () => {
      const code = surface === 'oauth' ? 'invalid_request' : 'request_malformed'
      for (const method of methods) {
        assertError(surface, await send(server.base, { path, method }), 400, code)
      }
    })
  }
})

describe('RFC 9110 §15.5.6: a method that a path does not have is 405, and Allow names those it has', () => {
  const read = 'GET, HEAD'
  const form = 'GET, HEAD, POST'
  const rows: Record<string, { allow: string; surface: Surface }> = {
    '/.well-known/oauth-authorization-server': { allow: read, surface: 'oauth' },
    '/account/apps': { allow: read, surface: 'page' },
    '/account/apps/:app_id': { allow: read, surface: 'page' },
    '/account/apps/:app_id/stores': { allow: form, surface: 'page' },
    '/account/activity': { allow: read, surface: 'page' },
    '/account/activity/account': { allow: read, surface: 'page' },
    '/account/apps/:app_id/revoke': { allow: form, surface: 'page' },
    '/assets/console.css': { allow: read, surface: 'page' },
    '/assets/console.js': { allow: read, surface: 'page' },
    '/favicon.ico': { allow: read, surface: 'page' },
    '/assets/pico.css': { allow: read, surface: 'page' },
    '/auth/v2/authorize': { allow: read, surface: 'oauth' },
    '/auth/v2/authorize/:uid': { allow: read, surface: 'oauth' },
    '/auth/v2/introspect': { allow: 'POST', surface: 'oauth' },
    '/auth/v2/jwks': { allow: read, surface: 'oauth' },
    '/auth/v2/revoke': { allow: 'POST', surface: 'oauth' },
    '/auth/v2/token': { allow: 'POST', surface: 'oauth' },
    '/consent/:uid': { allow: form, surface: 'page' },
    '/': { allow: read, surface: 'page' },
    '/developer/apps': { allow: read, surface: 'page' },
    '/developer/apps/:app_id': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/activity': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/connect': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/disable': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/edit': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/enable': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/logo': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/requests': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/requests/:request_id': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/rotate': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/delete': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/deliveries/:delivery_id': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/deliveries/:delivery_id/resend': {
      allow: form,
      surface: 'page',
    },
    '/developer/apps/:app_id/webhooks/:endpoint_id/disable': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/enable': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/rotate': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/webhooks/:endpoint_id/test': { allow: form, surface: 'page' },
    '/developer/apps/:app_id/try': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/try/openapi.json': { allow: read, surface: 'page' },
    '/signup': { allow: form, surface: 'page' },
    '/assets/reference.css': { allow: read, surface: 'page' },
    '/developer/apps/:app_id/secrets/:secret_id/retire': { allow: form, surface: 'page' },
    '/developer/apps/new': { allow: form, surface: 'page' },
    '/docs': { allow: read, surface: 'page' },
    '/docs/': { allow: read, surface: 'page' },
    '/docs/examples/go/changes.go': { allow: read, surface: 'page' },
    '/docs/examples/php/changes.php': { allow: read, surface: 'page' },
    '/docs/examples/python/changes.py': { allow: read, surface: 'page' },
    '/docs/examples/ruby/changes.rb': { allow: read, surface: 'page' },
    '/docs/guides': { allow: read, surface: 'page' },
    '/docs/guides/client': { allow: read, surface: 'page' },
    '/docs/guides/errors': { allow: read, surface: 'page' },
    '/docs/guides/errors-and-retries': { allow: read, surface: 'page' },
    '/docs/guides/getting-started': { allow: read, surface: 'page' },
    '/docs/guides/going-live': { allow: read, surface: 'page' },
    '/docs/guides/sandbox': { allow: read, surface: 'page' },
    '/docs/guides/sync': { allow: read, surface: 'page' },
    '/docs/guides/webhooks': { allow: read, surface: 'page' },
    '/docs/js/scalar.js': { allow: read, surface: 'page' },
    '/health/live': { allow: read, surface: 'envelope' },
    '/health/ready': { allow: read, surface: 'envelope' },
    '/integration/v1/inventory/items': { allow: read, surface: 'envelope' },
    '/integration/v1/inventory/sales': { allow: read, surface: 'envelope' },
    '/integration/v1/orders': { allow: read, surface: 'envelope' },
    '/integration/v1/store/:store_id/activate': { allow: 'POST', surface: 'envelope' },
    '/integration/v1/stores': { allow: read, surface: 'envelope' },
    '/integration/v1/changes': { allow: read, surface: 'envelope' },
    '/integration/v1/changes/heads': { allow: read, surface: 'envelope' },
    '/integration/v1/receipts': { allow: read, surface: 'envelope' },
    '/login': { allow: form, surface: 'page' },
    '/login/code': { allow: form, surface: 'page' },
    '/login/forgot': { allow: form, surface: 'page' },
    '/login/set-up': { allow: form, surface: 'page' },
    '/password/:token': { allow: form, surface: 'page' },
    '/profile': { allow: read, surface: 'page' },
    '/profile/password': { allow: form, surface: 'page' },
    '/profile/sessions/:session_id/end': { allow: 'POST', surface: 'page' },
    '/profile/sessions/end-others': { allow: 'POST', surface: 'page' },
    '/profile/two-factor': { allow: form, surface: 'page' },
    '/profile/two-factor/off': { allow: form, surface: 'page' },
    '/operator/accounts/new': { allow: form, surface: 'page' },
    '/operator/accounts/:account_id/password-link': { allow: form, surface: 'page' },
    '/operator/accounts/:account_id/two-factor-off': { allow: form, surface: 'page' },
    '/brand.css': { allow: read, surface: 'page' },
    '/logos/:app_id': { allow: read, surface: 'page' },
    '/logout': { allow: 'POST', surface: 'page' },
    '/metrics': { allow: read, surface: 'envelope' },
    '/openapi.json': { allow: read, surface: 'envelope' },
    '/operator': { allow: read, surface: 'page' },
    '/operator/accounts': { allow: read, surface: 'page' },
    '/operator/accounts/:account_id': { allow: read, surface: 'page' },
    '/operator/accounts/:account_id/disable': { allow: form, surface: 'page' },
    '/operator/accounts/:account_id/enable': { allow: form, surface: 'page' },
    '/operator/apps': { allow: read, surface: 'page' },
    '/operator/apps/:app_id': { allow: read, surface: 'page' },
    '/operator/apps/:app_id/disable': { allow: form, surface: 'page' },
    '/operator/apps/:app_id/enable': { allow: form, surface: 'page' },
    '/operator/apps/:app_id/revoke': { allow: form, surface: 'page' },
    '/operator/apps/:app_id/stores': { allow: form, surface: 'page' },
    '/operator/apps/:app_id/webhooks/pause': { allow: form, surface: 'page' },
    '/operator/apps/:app_id/webhooks/resume': { allow: form, surface: 'page' },
    '/operator/audit': { allow: read, surface: 'page' },
    '/operator/audit/export': { allow: read, surface: 'page' },
    '/operator/settings': { allow: form, surface: 'page' },
    '/operator/settings/brand': { allow: form, surface: 'page' },
    '/operator/stores': { allow: read, surface: 'page' },
    '/operator/stores/:store_id': { allow: read, surface: 'page' },
    '/operator/webhooks': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/items': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/items/export': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/order': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/orders': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/orders/export': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/sales': { allow: read, surface: 'page' },
    '/operator/stores/:store_id/sales/export': { allow: read, surface: 'page' },
    '/account/stores/:store_id/items': { allow: read, surface: 'page' },
    '/account/stores/:store_id/items/export': { allow: read, surface: 'page' },
    '/account/stores/:store_id/order': { allow: read, surface: 'page' },
    '/account/stores/:store_id/orders': { allow: read, surface: 'page' },
    '/account/stores/:store_id/orders/export': { allow: read, surface: 'page' },
    '/account/stores/:store_id/sales': { allow: read, surface: 'page' },
    '/account/stores/:store_id/sales/export': { allow: read, surface: 'page' },
    '/account/stores': { allow: read, surface: 'page' },
    '/account/stores/:store_id': { allow: read, surface: 'page' },
    '/platform/v1/records': { allow: 'POST', surface: 'envelope' },
  }

  test('every path of the router is tried here', () => {
    const known = new Set(routesOf(server.app))
    for (const url of Object.keys(rows)) assert.ok(known.has(url), `${url} is gone`)
    const untried = [...known].filter(url => !Object.hasOwn(rows, url))
    assert.deepEqual(untried, [], 'add each new path here')
  })

  for (const [url, { allow, surface }] of Object.entries(rows)) {
    test(`${url}: Allow: ${allow}`, async () => {
      const path = url.replace(/:\w+/, '1')
      const allowed = allow.split(', ')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const answer = await send(server.base, { path, method })
        if (allowed.includes(method)) {
          assert.notEqual(answer.status, 405, method)
          assert.notEqual(answer.status, 404, method)
          continue
        }
        assert.equal(header(answer, 'allow'), allow, method)
        if (method === 'HEAD') assert.deepEqual([answer.status, answer.text], [405, ''])
        else assertError(surface, answer, 405, surface === 'oauth' ? 'invalid_request' : 'method_not_allowed')
      }
    })
  }
})

describe('every answer carries an X-Request-Id of its own, which the client cannot choose', () => {
  const paths = [
    '/integration/v1/stores',
    '/auth/v2/jwks',
    '/auth/v2/authorize',
    '/auth/v2/authorize?client_id=1',
    '/.well-known/oauth-authorization-server',
    '/login',
    '/consent/1',
    '/assets/pico.css',
    '/docs/',
    '/docs',
    '/openapi.json',
    '/metrics',
    '/health/live',
    '/health/ready',
    '/nothing',
    '/%zz',
  ]
  for (const path of paths) {
    test(path, async () => {
      const ids = await Promise.all(
        [1, 2].map(async () =>
          header(await send(server.base, { path, headers: { 'x-request-id': 'chosen' } }), 'x-request-id'),
        ),
      )
      for (const id of ids) assert.match(id ?? '', /^[\w-]{22}$/)
      assert.notEqual(ids[0], ids[1])
    })
  }

  test('also of a token request, answered or refused', async () => {
    const { client_id, client_secret } = await server.newApp()
    for (const secret of [client_secret, 'wrong']) {
      const answer = await server.post('/auth/v2/token', {
        grant_type: 'client_credentials',
        client_id,
        client_secret: secret,
      })
      assert.match(header(answer, 'x-request-id') ?? '', /^[\w-]{22}$/)
    }
  })
})

describe('bodies that an endpoint does not read', () => {
  const large = (kib: number) => 'x'.repeat(kib * 1024)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const ndjson = { 'content-type': 'application/x-ndjson' }
  interface Row {
    name: string
    path: string
    headers?: Record<string, string>
    body: string
    surface: Surface
    status: number
    code?: string
    token?: 'reader' | 'platform'
  }
  const rows: Row[] = [
    {
      name: 'a token request of 57 KiB',
      path: '/auth/v2/token',
      headers: form,
      body: `a=${large(57)}`,
      surface: 'oauth',
      status: 413,
    },
    {
      name: 'an introspection of 1 MiB',
      path: '/auth/v2/introspect',
      headers: form,
      body: `token=${large(1024)}`,
      surface: 'oauth',
      status: 413,
    },
    {
      name: 'a token request with a second scope behind 1000 parameters',
      path: '/auth/v2/token',
      headers: form,
      body: `scope=integration.store${'&'.repeat(1000)}scope=integration.order`,
      surface: 'oauth',
      status: 413,
    },
    {
      name: 'a token request in gzip',
      path: '/auth/v2/token',
      headers: { ...form, 'content-encoding': 'gzip' },
      body: 'a',
      surface: 'oauth',
      status: 415,
    },
    {
      name: 'a token request without a readable media type',
      path: '/auth/v2/token',
      headers: { 'content-type': ';;' },
      body: 'a',
      surface: 'oauth',
      status: 415,
    },
    {
      name: 'an activation with 65 KiB',
      path: '/integration/v1/store/1/activate',
      body: large(65),
      surface: 'envelope',
      status: 413,
      code: 'body_too_large',
      token: 'reader',
    },
    {
      name: 'records as JSON',
      path: '/platform/v1/records',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      surface: 'envelope',
      status: 415,
      code: 'media_type_unsupported',
      token: 'platform',
    },
    {
      name: 'records in an encoding that is not read',
      path: '/platform/v1/records',
      headers: { ...ndjson, 'content-encoding': 'br' },
      body: '{}',
      surface: 'envelope',
      status: 415,
      code: 'media_type_unsupported',
      token: 'platform',
    },
    {
      name: 'records that are not gzip',
      path: '/platform/v1/records',
      headers: { ...ndjson, 'content-encoding': 'gzip' },
      body: '{}',
      surface: 'envelope',
      status: 400,
      code: 'request_malformed',
      token: 'platform',
    },
    {
      name: 'no record at all',
      path: '/platform/v1/records',
      headers: ndjson,
      body: '\n',
      surface: 'envelope',
      status: 422,
      code: 'record_invalid',
      token: 'platform',
    },
    {
      name: 'a sign-in of 300 KiB',
      path: '/login',
      headers: form,
      body: `email=${large(300)}`,
      surface: 'page',
      status: 413,
    },
    {
      name: 'a sign-in as JSON',
      path: '/login',
      headers: { 'content-type': 'application/json' },
      body: '{"email"',
      surface: 'page',
      status: 400,
    },
    {
      name: 'a sign-in as XML',
      path: '/login',
      headers: { 'content-type': 'text/xml' },
      body: '<a/>',
      surface: 'page',
      status: 415,
    },
  ]
  for (const { name, path, headers = {}, body, surface, status, code, token } of rows) {
    test(`${name}: ${status}`, async () => {
      const app = token === 'platform' ? { scope: 'platform.write' } : {}
      const authorization = token && {
        authorization: `Bearer ${await server.token(await server.newApp(app))}`,
      }
      const answer = await send(server.base, {
        method: 'POST',
        path,
        headers: { ...headers, ...authorization },
        body,
      })
      assertError(surface, answer, status, surface === 'oauth' ? 'invalid_request' : code)
    })
  }

  test('an activation ignores a small body of any kind (spec 4.2: none)', async () => {
    await server.push({ kind: 'store', id: 7, name: 'Seven', timezone: 'Europe/London' })
    const app = await server.newApp()
    await server.apps.authorize(app.client_id, [7n], byTest)
    const authorization = `Bearer ${await server.token(app)}`
    for (const headers of [
      { 'content-type': 'application/json' },
      { 'content-type': 'text/plain' },
      {},
    ] as Record<string, string>[]) {
      const answer = await send(server.base, {
        method: 'POST',
        path: '/integration/v1/store/7/activate',
        headers: { ...headers, authorization },
        body: '{"not json',
      })
      assert.equal(answer.status, 200, answer.text)
    }
  })

  test('a body announced as too large is refused before it is sent', async () => {
    const answer = await send(server.base, {
      method: 'POST',
      path: '/auth/v2/token',
      headers: { ...form, 'content-length': String(10 ** 12), connection: 'close' },
    }).catch((error: NodeJS.ErrnoException) => error)
    assert.ok('status' in answer, String(answer))
    assertError('oauth', answer, 413)
  })
})

describe('HEAD answers as GET does, without a body', () => {
  for (const path of [
    '/health/live',
    '/openapi.json',
    '/login',
    '/docs/',
    '/auth/v2/jwks',
    '/.well-known/oauth-authorization-server',
    '/assets/pico.css',
  ]) {
    test(path, async () => {
      const [get, head] = await Promise.all([
        send(server.base, { path }),
        send(server.base, { path, method: 'HEAD' }),
      ])
      assert.equal(head.status, get.status)
      assert.equal(head.text, '')
      assert.equal(header(head, 'content-type'), header(get, 'content-type'))
      assert.equal(header(head, 'content-length'), String(Buffer.byteLength(get.text)))
    })
  }

  test('a list of the integration API', async () => {
    const token = await server.token(await server.newApp())
    const headers = { authorization: `Bearer ${token}` }
    const head = await send(server.base, { path: '/integration/v1/stores', method: 'HEAD', headers })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.match(header(head, 'content-type') ?? '', /json/)
  })
})
