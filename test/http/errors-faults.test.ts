import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { createKeys } from '../../src/domain/keys.ts'
import { afterAnswer } from '../../src/oauth/after-answer.ts'
import { ProviderRequest } from '../../src/oauth/provider-request.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { authorizePath, codeOf, grant, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleItem, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header, type Surface } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'
import { clientCredentials } from '../helpers/token.ts'

/**
 * What nobody foresaw: answered without internals, in the surface's format, and logged once with the request's id. For the
 * log of a database that cannot answer see test/ops/outage-log.test.ts.
 */

const internals = 'table secret_plans at /var/lib/tillgate'

let server: TestServer
let client: { client_id: string; client_secret: string }
let token: string
let writer: string

before(async () => {
  server = await startServer()
  client = await server.newApp({ redirect_uris: [redirectUri] })
  token = await server.token(client)
  writer = await server.token(await server.newApp({ scope: 'platform.write' }))
})

afterEach(() => mock.restoreAll())

after(() => server.close())

interface Row {
  name: string
  surface: Surface
  /** Where the database fails. */
  at: () => [object, string]
  ask: () => Promise<{ status: number; headers: Headers; text: string }>
}

const window = 'store_id=1&start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2001:00:00'
const tokenForm = () => clientCredentials(client)

const rows: Row[] = [
  {
    name: 'stores',
    surface: 'envelope',
    at: () => [server.storage.stores, 'page'],
    ask: () => server.get('/integration/v1/stores', token),
  },
  {
    name: 'orders',
    surface: 'envelope',
    at: () => [server.storage.orders, 'page'],
    ask: () => server.get(`/integration/v1/orders?${window}`, token),
  },
  {
    name: 'items',
    surface: 'envelope',
    at: () => [server.storage.items, 'page'],
    ask: () => server.get('/integration/v1/inventory/items?store_id=1', token),
  },
  {
    name: 'sales',
    surface: 'envelope',
    at: () => [server.storage.sales, 'sum'],
    ask: () => server.get(`/integration/v1/inventory/sales?${window}`, token),
  },
  {
    name: 'the facts behind a token whose parameter is bad',
    surface: 'envelope',
    at: () => [server.storage.stores, 'access'],
    ask: () => server.get('/integration/v1/stores?index=x', token),
  },
  {
    name: 'records',
    surface: 'envelope',
    at: () => [server.storage.records, 'write'],
    ask: async () => {
      const response = await fetch(`${server.base}/platform/v1/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
        body: '{"kind":"store","id":1,"name":"A","timezone":"Europe/London"}',
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
  },
  {
    name: 'the client of a token request',
    surface: 'oauth',
    at: () => [server.storage.clients, 'facts'],
    ask: () => server.post('/auth/v2/token', tokenForm()),
  },
  {
    name: 'the throttle of a token request',
    surface: 'oauth',
    at: () => [server.storage.throttles, 'count'],
    ask: () => server.post('/auth/v2/token', { ...tokenForm(), client_secret: 'wrong' }),
  },
  {
    name: 'the keys',
    surface: 'oauth',
    at: () => [server.storage.keys, 'list'],
    ask: () => server.get('/auth/v2/jwks'),
  },
  {
    name: 'a token’s revocation, asked by introspection',
    surface: 'oauth',
    at: () => [server.storage.revokedTokens, 'has'],
    ask: () => server.post('/auth/v2/introspect', { ...client, token }),
  },
  {
    name: 'a token’s revocation, inside the provider',
    surface: 'oauth',
    at: () => [server.storage.revokedTokens, 'add'],
    ask: () => server.post('/auth/v2/revoke', { ...client, token }),
  },
  {
    name: 'the client of an authorization request, inside the provider',
    surface: 'page',
    at: () => [server.storage.apps, 'find'],
    ask: () => server.get(authorizePath(client)),
  },
  {
    name: 'the keys of an authorization request',
    surface: 'page',
    at: () => [server.storage.keys, 'list'],
    ask: () => server.get(authorizePath(client)),
  },
  {
    name: 'the keys of the way back from the consent page',
    surface: 'page',
    at: () => [server.storage.keys, 'list'],
    ask: () => server.get('/auth/v2/authorize/unknown'),
  },
  {
    name: 'the session of a page',
    surface: 'page',
    at: () => [server.storage.sessions, 'findAccount'],
    ask: () => server.get('/login', undefined, { cookie: 'tillgate_session=x' }),
  },
]

function failWith(error: Error, [object, method]: [object, string]): void {
  mock.method(object as Record<string, () => unknown>, method, async () => {
    throw error
  })
}

const loggedErrors = () => server.events().filter(({ level }) => level >= 50)

describe('an unforeseen fault is 500 without internals; its cause is logged once, with the request id', () => {
  for (const { name, surface, at, ask } of rows) {
    test(name, async () => {
      failWith(new Error(internals), at())
      server.log.length = 0
      const answer = await ask()
      assertError(surface, answer, 500, 'server_error')
      assert.doesNotMatch(answer.text, /secret_plans|\/var\/lib|node_modules|\.ts:|Error:|\boidc\b/i)
      const [logged, ...others] = loggedErrors()
      assert.deepEqual(others, [], 'logged once')
      assert.equal(logged.err.message, internals)
      assert.equal(logged.request_id, header(answer, 'x-request-id'))
      if (surface === 'page') assert.ok(answer.text.includes(`Reference: ${logged.request_id}`))
    })
  }
})

describe('a database that cannot answer now is 503 with Retry-After', () => {
  for (const { name, surface, at, ask } of rows) {
    test(name, async () => {
      failWith(new StorageUnavailable('the disk is full'), at())
      server.log.length = 0
      const answer = await ask()
      assertError(
        surface,
        answer,
        503,
        surface === 'oauth' ? 'temporarily_unavailable' : 'service_unavailable',
      )
      assert.equal(header(answer, 'retry-after'), '1')
      assert.doesNotMatch(answer.text, /disk/)
      assert.doesNotMatch(server.log.join(''), /request failed|authorization server failed/)
    })
  }
})

test('a token whose keys cannot be read is not taken for a stranger’s: its revocation is refused, not forgotten', async () => {
  const doomed = await server.token(client)
  const list = mock.method(server.storage.keys, 'list')
  list.mock.mockImplementationOnce(async () => {
    throw new StorageUnavailable('busy')
  })
  assertError('oauth', await server.post('/auth/v2/revoke', { ...client, token: doomed }), 503)
})

test('new keys that cannot be read refuse a token request, rather than sign with the old ones', async () => {
  await server.token(client)
  await createKeys(server).rotate(byTest)
  failWith(new StorageUnavailable('busy'), [server.storage.keys, 'list'])
  assertError('oauth', await server.post('/auth/v2/token', tokenForm()), 503)
  mock.restoreAll()
  const signs = (await server.storage.keys.list('sign')).find(({ retired_at }) => retired_at === null)
  const [head = ''] = (await server.token(client)).split('.')
  assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()).kid, signs?.id)
})

describe('a fault while tokens are exchanged consumes nothing: the same request works later', () => {
  before(async () => {
    await server.newAccount('seller@example.com')
    await server.push(sampleStore({ id: 1001, merchant: 'seller@example.com' }))
  })

  const consent = { email: 'seller@example.com' }
  const failNow = (): void => failWith(new StorageUnavailable('busy'), [server.storage.artifacts, 'consume'])

  test('a code', async () => {
    const code = await codeOf(server, client, consent)
    failNow()
    assertError('oauth', await redeem(server, client, code), 503)
    mock.restoreAll()
    assert.equal((await redeem(server, client, code)).status, 200)
  })

  test('a refresh token', async () => {
    const { refresh_token } = await grant(server, client, consent)
    failNow()
    assertError('oauth', await refresh(server, client, refresh_token), 503)
    mock.restoreAll()
    assert.equal((await refresh(server, client, refresh_token)).status, 200)
  })

  test('tokens for a code that was not consumed never leave the server', async () => {
    const faults: Error[] = []
    const req = new ProviderRequest(new IncomingMessage(new Socket()), new URL(server.base), null, {
      from: { address: '', request_id: '' },
      exchange: {
        kind: 'AuthorizationCode',
        hash: 'h',
        family: { id: 'f', generation: 0 },
        keyed: undefined,
      },
    })
    const provider = { emit: (_name: string, _ctx: unknown, error: Error) => void faults.push(error) }
    const body = { access_token: 'x' }
    const ctx = { req, status: 200, body, oidc: { provider } } as unknown as KoaContextWithOIDC
    await afterAnswer(server)(ctx, async () => {})
    assert.deepEqual([ctx.status, (ctx.body as { error: string }).error], [500, 'server_error'])
    assert.match(String(faults), /not consumed/)
  })
})

test('a sign-in whose account cannot be read is an error page, not a refusal', async () => {
  await server.newAccount('owner@example.com')
  const browser = new Browser(server.base)
  const page = await browser.open('/login')
  failWith(new StorageUnavailable('busy'), [server.storage.accounts, 'findByEmail'])
  const answer = await browser.submit(page, { email: 'owner@example.com', password: 'correct horse battery' })
  assertError('page', answer, 503)
  assert.equal(header(answer, 'retry-after'), '1')
})

test('a fault behind the first piece of a large page cuts the connection: no reader takes it for a whole page', async () => {
  const items = Array.from({ length: 300 }, (_, i) => sampleItem({ id: i + 1 }))
  await server.push(sampleStore(), ...items)
  await server.apps.authorize(client.client_id, [1001n], byTest)
  const path = '/integration/v1/inventory/items?store_id=1001&count=2001'
  assert.equal((await server.get(path, token)).json.data.length, 300)
  failWith(new Error(internals), [server.storage.items, 'more'])
  server.log.length = 0
  await assert.rejects(server.get(path, token))
  const lines = () => server.events()
  // The log line comes after the connection is cut.
  while (!lines().some(({ msg }) => msg === 'request')) await new Promise(setImmediate)
  const logged = lines().filter(({ err }) => err?.message === internals)
  assert.equal(logged.length, 1, server.log.join(''))
  assert.match(logged[0].request_id, /^[\w-]{22}$/)
})

test('the server serves on when the database is back', async () => {
  assert.equal((await server.get('/integration/v1/stores', token)).status, 200)
})
