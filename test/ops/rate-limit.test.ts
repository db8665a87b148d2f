import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'

/** TILLGATE_RATE_LIMIT: so many integration requests a minute for each app, told in the RateLimit headers. */

let server: TestServer

before(async () => {
  server = await startServer({ config: { rate_limit: 3 } })
})

after(() => server.close())

const path = '/integration/v1/stores'

describe('with a limit of 3', () => {
  test('the fourth request of an app within a minute is 429 in the envelope, with Retry-After', async () => {
    const token = await server.token(await server.newApp())
    for (const remaining of ['2', '1', '0']) {
      const answer = await server.get(path, token)
      assert.equal(answer.status, 200)
      assert.equal(header(answer, 'ratelimit-limit'), '3')
      assert.equal(header(answer, 'ratelimit-remaining'), remaining)
      assert.match(header(answer, 'ratelimit-reset') ?? '', /^\d+$/)
    }
    const refused = await server.get(path, token)
    assertError('envelope', refused, 429, 'rate_limited')
    const seconds = Number(header(refused, 'retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds))
    assert.equal(header(refused, 'ratelimit-remaining'), '0')
    assert.match(refused.json.status.errors.message, /3 requests a minute/)
  })

  test('it is counted over all integration endpoints and all tokens of the app', async () => {
    const app = await server.newApp()
    const [first, second] = [await server.token(app), await server.token(app, 'integration.store')]
    await server.get('/integration/v1/inventory/items?store_id=1', first)
    await server.get(path, second)
    await server.get(path, first)
    assert.equal((await server.get(path, second)).status, 429)
  })

  test('another app is not affected, and neither are strangers without a token', async () => {
    const [busy, calm] = [
      await server.token(await server.newApp()),
      await server.token(await server.newApp()),
    ]
    for (let i = 0; i < 4; i++) await server.get(path, busy)
    assert.equal((await server.get(path, busy)).status, 429)
    assert.equal((await server.get(path, calm)).status, 200)
    for (let i = 0; i < 5; i++) assertError('envelope', await server.get(path), 401, 'token_missing')
  })

  test('tokens, pages, ingest and health are not limited by it', async () => {
    const app = await server.newApp()
    for (let i = 0; i < 5; i++) await server.token(app)
    for (let i = 0; i < 5; i++) assert.equal((await server.get('/health/live')).status, 200)
    for (let i = 0; i < 5; i++) assert.equal((await server.get('/login')).status, 200)
  })
})

test('without a limit there are no RateLimit headers', async t => {
  const free = await startServer()
  t.after(() => free.close())
  const token = await free.token(await free.newApp())
  for (let i = 0; i < 20; i++) {
    const answer = await free.get(path, token)
    assert.equal(answer.status, 200)
    assert.equal(header(answer, 'ratelimit-limit'), null)
  }
})
