import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ticket } from '../../../src/http/admission/controller.ts'
import { authorizePath, redirectUri } from '../../helpers/authorize.ts'
import { byTest } from '../../helpers/by.ts'
import { sampleItem, sampleStore } from '../../helpers/orders.ts'
import { startServer, type TestServer } from '../../helpers/server.ts'
import { assertError, header, type Surface } from '../../helpers/surfaces.ts'
import { clientCredentials } from '../../helpers/token.ts'

/** A server with a concurrency limit of one and a short queue timeout. */

let server: TestServer
let client: { client_id: string; client_secret: string }
let token: string
let writer: string

before(async () => {
  server = await startServer({ config: { max_requests: 1, max_wait: 40 } })
  client = await server.newApp({ redirect_uris: [redirectUri] })
  token = await server.token(client)
  writer = await server.token(await server.newApp({ scope: 'platform.write' }))
})

afterEach(() => mock.restoreAll())

after(() => server.close())

/** Delays every call of a storage method until `release`. */
function hold(noun: object, verb: string): { reached(calls?: number): Promise<void>; release(): void } {
  const held: (() => void)[] = []
  const original = (noun as Record<string, (...values: unknown[]) => unknown>)[verb]?.bind(noun)
  const released = new AbortController()
  const mocked = mock.method(noun as Record<string, () => unknown>, verb, async (...values: unknown[]) => {
    await new Promise<void>(resolve => held.push(resolve))
    return original?.(...values)
  })
  return {
    async reached(calls = 1) {
      while (mocked.mock.callCount() < calls && !released.signal.aborted) await sleep(2)
    },
    release() {
      released.abort()
      mocked.mock.restore()
      for (const resolve of held) resolve()
    },
  }
}

const push = async () => {
  const response = await fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
    body: '{"kind":"store","id":1,"name":"A","timezone":"Europe/London"}',
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

interface RequestClass {
  name: string
  surface: Surface
  at: () => [object, string]
  ask: () => Promise<{ status: number; headers: Headers; text: string }>
}

const classes: RequestClass[] = [
  {
    name: 'integration',
    surface: 'envelope',
    at: () => [server.storage.stores, 'page'],
    ask: () => server.get('/integration/v1/stores', token),
  },
  { name: 'platform', surface: 'envelope', at: () => [server.storage.records, 'write'], ask: push },
  {
    name: 'tokens',
    surface: 'oauth',
    at: () => [server.storage.clients, 'facts'],
    ask: () => server.post('/auth/v2/token', clientCredentials(client)),
  },
  {
    name: 'pages',
    surface: 'page',
    at: () => [server.storage.sessions, 'findAccount'],
    ask: () => server.get('/account/apps', undefined, { cookie: 'tillgate_session=x' }),
  },
]

describe('a request beyond TILLGATE_MAX_REQUESTS is rejected: 503 with Retry-After, in the format of its surface, without an error in the log', () => {
  for (const { name, surface, at, ask } of classes) {
    test(name, async () => {
      const held = hold(...at())
      const first = ask()
      await held.reached()
      server.log.length = 0
      const rejected = await ask()
      assertError(
        surface,
        rejected,
        503,
        surface === 'oauth' ? 'temporarily_unavailable' : 'service_unavailable',
      )
      assert.equal(header(rejected, 'retry-after'), '1')
      assert.deepEqual(
        server.events().filter(({ level }) => level >= 50),
        [],
      )
      held.release()
      assert.notEqual((await first).status, 503, 'the running request is answered')
      assert.notEqual((await ask()).status, 503, 'and its slot is free')
    })
  }
})

test('classes of requests do not delay each other, and health checks and metrics are always answered', async () => {
  const held = hold(server.storage.stores, 'page')
  const first = server.get('/integration/v1/stores', token)
  await held.reached()
  assert.equal((await server.token(client)).split('.').length, 3)
  assert.equal((await push()).status, 200)
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    assert.equal((await server.get(path)).status, 200)
  held.release()
  assert.equal((await first).status, 200)
})

test('a count parameter does not change the class of a token request', async () => {
  const held = hold(server.storage.clients, 'facts')
  const ask = () => server.post('/auth/v2/token?count=2000', clientCredentials(client))
  const first = server.post('/auth/v2/token', clientCredentials(client))
  await held.reached()
  assert.equal((await ask()).status, 503)
  held.release()
  assert.equal((await first).status, 200)
})

test('a request that waits less than its queue timeout is answered', async () => {
  // Its own server: a stall of a busy machine is longer than the short timeout of the other tests.
  const server = await startServer({ config: { max_requests: 1, max_wait: 6_000 } })
  try {
    const reader = await server.token(await server.newApp())
    const held = hold(server.storage.stores, 'page')
    const first = server.get('/integration/v1/stores', reader)
    await held.reached()
    const second = server.get('/integration/v1/stores', reader)
    await sleep(100)
    held.release()
    assert.deepEqual([(await first).status, (await second).status], [200, 200])
  } finally {
    await server.close()
  }
})

describe('a large page', () => {
  const largePage = '/integration/v1/inventory/items?store_id=1001&count=2001'
  const otherLargePage = '/integration/v1/stores?count=2001'

  before(async () => {
    const items = Array.from({ length: 300 }, (_, i) => sampleItem({ id: i + 1 }))
    await server.push(sampleStore(), ...items)
    await server.apps.authorize(client.client_id, [1001n], byTest)
  })

  test('that has begun finishes before others begin', async () => {
    const held = hold(server.storage.items, 'more')
    const page = server.get(largePage, token)
    await held.reached()
    assert.equal((await server.get(otherLargePage, token)).status, 503, 'its slot is taken')
    held.release()
    assert.equal((await page).json.data.length, 300)
    assert.equal((await server.get(otherLargePage, token)).status, 200)
  })

  test('does not delay small ones, whatever their count parameter', async () => {
    const held = hold(server.storage.items, 'more')
    const page = server.get(largePage, token)
    await held.reached()
    for (const [query, status] of [
      ['', 200],
      ['?count=128', 200],
      ['?count=x', 422],
      ['?count=1&count=2000', 422],
      ['?count=129', 503],
    ] as const)
      assert.equal((await server.get(`/integration/v1/stores${query}`, token)).status, status, query)
    held.release()
    await page
  })

  test('waits when a quarter of TILLGATE_MAX_REQUESTS is taken by others', async () => {
    const wider = await startServer({ config: { max_requests: 8, max_wait: 40 } })
    try {
      const reader = await wider.token(await wider.newApp())
      const held = hold(wider.storage.stores, 'page')
      const answers = Array.from({ length: 3 }, () => wider.get(otherLargePage, reader))
      const rejected = await Promise.race([...answers, held.reached(3)])
      held.release()
      assert.equal(rejected?.status, 503)
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [200, 200, 503])
    } finally {
      await wider.close()
    }
  })

  test('is read no further when its reader leaves while the next piece waits', async () => {
    const begun = hold(server.storage.items, 'page')
    const more = mock.method(server.storage.items, 'more')
    const controllers = mock.method(server.app.admission, 'controllerOf')
    const leaving = new AbortController()
    const page = fetch(`${server.base}${largePage}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    await begun.reached()
    const [admission] = controllers.mock.calls
    // Another piece, which gets the slot before the next piece of this page.
    const other = new Promise<Ticket>(resolve => admission?.result?.resume(resolve))
    begun.release()
    assert.equal((await page).status, 200)
    const slot = await other
    leaving.abort()
    await assert.rejects((await page).text())
    await server.get('/health/live')
    slot.release()
    assert.equal((await server.get(otherLargePage, token)).status, 200, 'its slot is free')
    assert.equal(more.mock.callCount(), 0)
  })
})

test('a client that leaves while its request waits frees its place in the queue', async () => {
  const held = hold(server.storage.stores, 'page')
  const first = server.get('/integration/v1/stores', token)
  await held.reached()
  const leaving = new AbortController()
  const left = fetch(`${server.base}/integration/v1/stores`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  })
  await sleep(50)
  leaving.abort()
  await assert.rejects(left)
  held.release()
  assert.equal((await first).status, 200)
  for (let i = 0; i < 3; i++) assert.equal((await server.get('/integration/v1/stores', token)).status, 200)
})

test('a slow sender of a body holds no slot', async () => {
  const body = new ReadableStream({ pull: () => new Promise(() => {}) })
  const leaving = new AbortController()
  const slow = fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    body,
    duplex: 'half',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
  } as RequestInit)
  slow.catch(() => {})
  await sleep(50)
  assert.equal((await push()).status, 200)
  leaving.abort()
})

test('rejections are counted by their reason', async () => {
  const { text } = await server.get('/metrics')
  assert.match(text, /^tillgate_http_requests_refused_total\{why="queue_timeout"\} [1-9]/m)
})

test('a rejected authorization request does not redirect', async () => {
  const held = hold(server.storage.apps, 'find')
  const first = server.get(authorizePath(client))
  await held.reached()
  const rejected = await server.get(authorizePath(client))
  assert.equal(rejected.status, 503)
  assert.equal(rejected.headers.get('location'), null)
  held.release()
  await first
})
