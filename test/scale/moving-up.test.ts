import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Client,
  codeOf,
  grant,
  redeem,
  redirectUri,
  refresh,
  type Tokens,
} from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { testClock } from '../helpers/clock.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { day, orders, stores, withQuery } from '../helpers/world.ts'
import { copy } from '../storage/copying.ts'
import { temporaryFolder } from '../storage/folder.ts'

/** Everything below was given out by a server on SQLite, and is used with one on the PostgreSQL copied from it. */

const folder = temporaryFolder()
const clock = testClock()
const changes = '/integration/v1/changes?store_id=1001'
let server: TestServer
let app: Client
let tokens: Tokens
let used: Tokens
let revoked: Tokens
let own: string
let code: string | null
let browser: Browser
let order: unknown
let followed: { feed: string; next: number }
let database: string

before(async () => {
  const file = folder.newFile()
  const old = await startServer({ database: file, clock })
  await old.newAccount('owner@example.com')
  await old.push(sampleStore({ merchant: 'owner@example.com' }), sampleOrder())
  app = await old.newApp({ redirect_uris: [redirectUri] })
  const { client_id, client_secret } = await old.newApp({ redirect_uris: [redirectUri] })
  tokens = await grant(old, app)
  used = tokens
  tokens = (await refresh(old, app, used.refresh_token)).json
  revoked = await grant(old, { client_id, client_secret })
  await old.post('/auth/v2/revoke', { client_id, client_secret, token: revoked.access_token })
  code = await codeOf(old, app)
  own = await old.token(app)
  order = (await old.get(withQuery(orders, day), own)).json.data[0]
  followed = (await old.get(changes, own)).json.data
  browser = new Browser(old.base)
  await browser.signIn('owner@example.com')
  await old.close()

  database = await freshDatabase()
  await copy(file, database)
  // Another port; what people and tokens know it by stays.
  server = await startServer({ database, clock, issuer: old.base })
})
after(async () => {
  await server?.close()
  folder.remove()
})

test('an access token of either grant reads what it read before', async () => {
  assert.equal((await server.get(stores, tokens.access_token)).json.data[0].id, 1001)
  const { status, json } = await server.get(withQuery(orders, day), own)
  assert.equal(status, 200)
  assert.deepEqual(json.data, [order])
})

test('a revoked access token stays revoked', async () => {
  const { status, json } = await server.get(stores, revoked.access_token)
  assert.deepEqual([status, json.status.errors.code], [401, 'token_revoked'])
})

test('a code that was not redeemed yet still can be', async () => {
  assert.equal((await redeem(server, app, code)).status, 200)
})

test('a refresh token works once; one that was used before stays used', async () => {
  const again = await refresh(server, app, used.refresh_token)
  assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
  const { status, json, text } = await refresh(server, app, tokens.refresh_token)
  assert.equal(status, 200, text)
  assert.equal((await server.get(stores, json.access_token)).status, 200)
  assert.equal((await refresh(server, app, tokens.refresh_token)).status, 400)
})

test('an app’s secret and a merchant’s password work', async () => {
  assert.equal((await server.get(stores, await server.token(app))).status, 200)
  const answer = await new Browser(server.base).signIn('owner@example.com')
  assert.doesNotMatch(answer.text, /name="password"/)
})

test('signed-in people stay signed in', async () => {
  const moved = new Browser(server.base)
  const stranger = await moved.open('/account/apps')
  assert.equal(stranger.status, 303)
  moved.cookies.push(...browser.cookies)
  const page = await moved.open('/account/apps')
  assert.equal(page.status, 200)
  assert.match(page.text, /Ledger/)
})

test('an app goes on following changes with its feed and position, here and after the way back to SQLite', async () => {
  const goOn = `${changes}&after=${followed.next}&feed=${followed.feed}`
  assert.deepEqual((await server.get(changes, own)).json.data, followed)
  assert.deepEqual((await server.get(goOn, own)).json.data, { ...followed, changes: [] })
  await server.push(sampleOrder({ id: 'stored by PostgreSQL' }))
  const { data } = (await server.get(goOn, own)).json
  assert.deepEqual(
    data.changes.map(({ id }: { id: string }) => id),
    ['stored by PostgreSQL'],
  )
  const file = folder.newFile()
  await copy(database, file)
  const back = await startServer({ database: file, clock, issuer: server.base })
  try {
    const bearer = await back.token(app)
    assert.deepEqual((await back.get(goOn, bearer)).json.data, data)
  } finally {
    await back.close()
  }
})
