import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'

let server: TestServer

before(async () => {
  server = await startServer()
})

afterEach(() => mock.restoreAll())

after(() => server.close())

describe('health', () => {
  test('/health/live: the process responds whatever the state of the database', async () => {
    mock.method(server.storage, 'ping', async () => {
      throw new StorageUnavailable('gone')
    })
    const { status, json } = await server.get('/health/live')
    assert.deepEqual([status, json], [200, { status: 'live' }])
  })

  test('/health/ready: 200 while the database responds', async () => {
    const { status, json } = await server.get('/health/ready')
    assert.deepEqual([status, json], [200, { status: 'ready' }])
  })

  for (const error of [new StorageUnavailable('disk is full'), new Error('disk is full')]) {
    test(`/health/ready: 503 with Retry-After when it does not (${error.name}); the cause is only in the log`, async () => {
      mock.method(server.storage, 'ping', async () => {
        throw error
      })
      server.log.length = 0
      const answer = await server.get('/health/ready')
      assertError('envelope', answer, 503, 'service_unavailable')
      assert.equal(header(answer, 'retry-after'), '1')
      assert.doesNotMatch(answer.text, /disk/)
      const causes = server.events().filter(({ err }) => err)
      assert.equal(causes.length, 1)
      assert.equal(causes[0].err.message, 'disk is full')
      assert.equal(causes[0].request_id, header(answer, 'x-request-id'))
    })
  }

  test('a request in flight when the server closes is answered, and its connection ends at once', async t => {
    const closing = await startServer()
    t.after(() => closing.storage.close())
    let release = () => {}
    const ping = mock.method(
      closing.storage,
      'ping',
      () =>
        new Promise<void>(resolve => {
          release = resolve
        }),
    )
    const slow = closing.get('/health/ready')
    while (ping.mock.callCount() === 0) await new Promise(setImmediate)
    const began = performance.now()
    const closed = closing.app.close()
    await new Promise(resolve => setTimeout(resolve, 50))
    await assert.rejects(fetch(`${closing.base}/health/live`), 'new connections are refused')
    release()
    const answer = await slow
    assert.equal(answer.status, 200)
    assert.equal(header(answer, 'connection'), 'close')
    await closed
    // Kept alive as usual, it would have held the server for another 72 s.
    assert.ok(performance.now() - began < 30_000)
  })
})

describe('/metrics', () => {
  test('is Prometheus text: every sample belongs to a described metric', async () => {
    const { status, headers, text } = await server.get('/metrics')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    const typed = new Set(
      [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram|summary)$/gm)].map(([, name]) => name),
    )
    const helped = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name))
    assert.deepEqual(typed, helped)
    for (const line of text.split('\n').filter(line => line !== '' && !line.startsWith('#'))) {
      const [, name = ''] =
        /^([a-zA-Z_:][\w:]*)(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})? (?:[-+]?[\d.]+(?:e[-+]?\d+)?|NaN|[-+]Inf)$/i.exec(
          line,
        ) ?? []
      assert.ok(typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, '')), line)
    }
    assert.ok(typed.has('process_cpu_user_seconds_total'))
    assert.ok(typed.has('nodejs_eventloop_lag_seconds'))
  })

  const counts = async () => {
    const { text } = await server.get('/metrics')
    const found = new Map<string, number>()
    for (const [, labels = '', value] of text.matchAll(
      /^tillgate_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm,
    )) {
      found.set(labels, Number(value))
    }
    return found
  }

  test('counts requests by method, route pattern and status', async () => {
    const app = await server.newApp()
    const before = await counts()
    const token = await server.token(app)
    await server.get('/integration/v1/stores', token)
    await server.get('/integration/v1/stores', token)
    await server.get('/integration/v1/stores')
    await server.get('/integration/v1/nothing-here')
    await server.get('/%zz')
    await server.get('/login')
    await fetch(`${server.base}/integration/v1/store/424242/activate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    const after = await counts()
    const risen = Object.fromEntries(
      [...after]
        .map(([labels, count]) => [labels, count - (before.get(labels) ?? 0)] as const)
        .filter(([, n]) => n > 0),
    )
    const own = 'method="GET",route="/metrics",status="200"'
    delete risen[own]
    assert.deepEqual(risen, {
      'method="POST",route="/auth/v2/token",status="200"': 1,
      'method="GET",route="/integration/v1/stores",status="200"': 2,
      'method="GET",route="/integration/v1/stores",status="401"': 1,
      'method="GET",route="none",status="404"': 1,
      'method="GET",route="none",status="400"': 1,
      'method="GET",route="/login",status="200"': 1,
      'method="POST",route="/integration/v1/store/:store_id/activate",status="404"': 1,
    })
  })

  test('carries no ids, paths or tokens in its labels, so its size is bounded', async () => {
    const app = await server.newApp()
    const token = await server.token(app)
    for (let i = 0; i < 20; i++) {
      await server.get(`/made-up-${i}`)
      await server.get(`/consent/uid-${i}`)
      await fetch(`${server.base}/integration/v1/store/9182736455${i}/activate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
    }
    const { text } = await server.get('/metrics')
    for (const hidden of ['made-up', 'uid-', '9182736455', app.client_id, token.slice(0, 20), '127.0.0.1']) {
      assert.ok(!text.includes(hidden), hidden)
    }
  })

  test('counts a request whose client closed the connection as aborted', async () => {
    const before = (await counts()).get('method="GET",route="/health/ready",status="aborted"') ?? 0
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    mock.method(server.storage, 'ping', () => {
      asked.resolve()
      return released.promise
    })
    server.log.length = 0
    const leaving = new AbortController()
    const gone = fetch(`${server.base}/health/ready`, { signal: leaving.signal })
    void asked.promise.then(() => leaving.abort())
    await assert.rejects(gone)
    const seen = () => server.events().find(({ aborted }) => aborted)
    while (!seen()) await new Promise(setImmediate)
    assert.equal(seen().status, 499, 'the log has a status that nobody was sent')
    released.resolve()
    assert.equal((await counts()).get('method="GET",route="/health/ready",status="aborted"'), before + 1)
  })
})
