import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { accessTokenLifetime } from '../../src/contract/lifetimes.ts'
import { type Client, decide, grant, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { refusal, stores, withQuery } from '../helpers/world.ts'

/** A clock that is set: by a second at the very end of a life, by hours back and forth. test/spec/5.3 has the lives. */

const hour = 3600
const day = 86_400
const fourDays = 4 * day

let server: TestServer
let app: Client
let start: number

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore())
  start = server.clock.now()
})

beforeEach(async () => {
  server.clock.set(start)
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  app = { client_id, client_secret }
})

after(() => server.close())

const status = async (token: string) => (await server.get(stores, token)).status

describe('to the second', () => {
  test('an access token is good before exp, and not at exp', async () => {
    const token = await server.token(app)
    const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual([iat, exp - iat], [server.clock.now(), accessTokenLifetime])
    server.clock.set(exp - 1)
    assert.equal(await status(token), 200)
    server.clock.set(exp)
    assert.deepEqual(refusal(await server.get(stores, token)), [401, 'token_expired'])
    server.clock.set(exp + 1)
    assert.equal(await status(token), 401)
  })

  for (const [when, seconds, expected] of [
    ['a second before 4 days', fourDays - 1, 200],
    ['at 4 days', fourDays, 400],
    ['a second after 4 days', fourDays + 1, 400],
  ] as const) {
    test(`a refresh token ${when}: ${expected}`, async () => {
      const { refresh_token } = await grant(server, app)
      server.clock.advance(seconds)
      assert.equal((await refresh(server, app, refresh_token)).status, expected)
    })
  }

  for (const [when, seconds, expected] of [
    ['a second before 10 minutes', 599, 200],
    ['at 10 minutes', 600, 400],
  ] as const) {
    test(`a code ${when}: ${expected}`, async () => {
      const back = await decide(server, app)
      server.clock.advance(seconds)
      assert.equal((await redeem(server, app, back.searchParams.get('code'))).status, expected)
    })
  }
})

describe('a clock that is set back', () => {
  for (const back of [1, hour, day]) {
    test(`by ${back} s: tokens that are out stay good, new ones can be had, and refreshing goes on`, async () => {
      const own = await server.token(app)
      const first = await grant(server, app)
      server.clock.advance(-back)
      assert.deepEqual([await status(own), await status(first.access_token)], [200, 200])
      assert.equal(await status(await server.token(app)), 200)
      const second = await refresh(server, app, first.refresh_token)
      assert.equal(second.status, 200)
      assert.equal((await refresh(server, app, second.json.refresh_token)).status, 200)
    })
  }

  test('a used refresh token stays used, and a revoked token revoked', async () => {
    const { refresh_token } = await grant(server, app)
    const own = await server.token(app)
    await refresh(server, app, refresh_token)
    await server.post('/auth/v2/revoke', { ...app, token: own })
    server.clock.advance(-hour)
    assert.equal((await refresh(server, app, refresh_token)).status, 400)
    assert.deepEqual(refusal(await server.get(stores, own)), [401, 'token_revoked'])
  })

  test('a sweep deletes nothing that is live', async () => {
    const { refresh_token } = await grant(server, app)
    server.clock.advance(-hour)
    await server.storage.purge(server.clock.now())
    assert.equal((await refresh(server, app, refresh_token)).status, 200)
  })

  test('a write is seen: the data version rises all the same', async () => {
    await server.apps.authorize(app.client_id, [1001n], byTest)
    const token = await server.token(app)
    const path = withQuery('/integration/v1/orders', {
      store_id: 1001,
      start_date: '2026-11-01 00:00:00',
      end_date: '2026-11-01 23:59:59',
    })
    await server.push(sampleOrder())
    const before = await server.get(path, token)
    server.clock.advance(-day)
    await server.push(sampleOrder({ id: 'another' }))
    const after = await server.get(path, token, { 'if-none-match': before.headers.get('etag') ?? '' })
    assert.equal(after.status, 200)
    assert.equal(after.json.data.length, before.json.data.length + 1)
  })

  test('a merchant stays signed in; too many wrong passwords wait a minute at most', async () => {
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    server.clock.advance(-hour)
    assert.equal((await browser.open('/account/apps')).status, 200)
    const guess = { grant_type: 'client_credentials', client_id: app.client_id, client_secret: 'wrong' }
    let answer = await server.post('/auth/v2/token', guess)
    for (let i = 0; i < 15 && answer.status !== 429; i++) answer = await server.post('/auth/v2/token', guess)
    assert.equal(answer.status, 429)
    assert.ok(Number(answer.headers.get('retry-after')) <= 60)
    server.clock.advance(60)
    assert.equal((await server.post('/auth/v2/token', guess)).status, 401)
  })
})

describe('a clock that is set forward', () => {
  test('and back again: what looked expired meanwhile is good again, as nothing was thrown away', async () => {
    const own = await server.token(app)
    const { refresh_token } = await grant(server, app)
    server.clock.advance(3 * day)
    assert.equal(await status(own), 401)
    server.clock.advance(-3 * day)
    assert.equal(await status(own), 200)
    assert.equal((await refresh(server, app, refresh_token)).status, 200)
  })

  test('by a week: everything that lived has ended, and a new authorization works at once', async () => {
    const own = await server.token(app)
    const { access_token, refresh_token } = await grant(server, app)
    server.clock.advance(7 * day)
    assert.deepEqual([await status(own), await status(access_token)], [401, 401])
    assert.equal((await refresh(server, app, refresh_token)).status, 400)
    await server.storage.purge(server.clock.now())
    const { access_token: fresh } = await grant(server, app)
    assert.equal(await status(fresh), 200)
    assert.equal(await status(await server.token(app)), 200)
  })
})
