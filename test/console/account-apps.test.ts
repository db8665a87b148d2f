import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, grant, redirectUri, refresh, type Tokens } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** /account/apps: a merchant sees and ends their own connections, and nobody else's. */

let server: TestServer
let client: Client
let tokens: Tokens
let owner: Browser
let other: Browser

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('other@example.com')
  await server.newAccount('dev@example.com', 'developer')
  await server.push({
    kind: 'store',
    id: 1001,
    name: 'Harbour <b>Street</b>',
    timezone: 'Australia/Sydney',
    merchant: 'owner@example.com',
  })
  client = await server.newApp({ name: 'Led<script>ger', redirect_uris: [redirectUri] })
  tokens = await grant(server, client)
  owner = new Browser(server.base)
  await owner.signIn('owner@example.com')
  other = new Browser(server.base)
  await other.signIn('other@example.com')
})

after(() => server.close())

const page = () => `/account/apps/${client.client_id}/revoke`
const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
const alive = async () => (await server.get('/integration/v1/stores', tokens.access_token)).status === 200

describe('before anything is revoked', () => {
  test('the owner sees the app and its stores, as text', async () => {
    const { status, text } = await owner.open('/account/apps')
    assert.equal(status, 200)
    assert.match(text, /Led&#60;script&#62;ger/)
    assert.match(text, /Harbour &#60;b&#62;Street/)
    assert.doesNotMatch(text, /<script|<b>/)
  })

  test('another merchant sees nothing of it: their list is empty, and the app’s page is 404 to read and to send', async () => {
    const { text } = await other.open('/account/apps')
    assert.doesNotMatch(text, /Led|Harbour/)
    assertError('page', await other.open(page()), 404)
    const body = new URLSearchParams({ _csrf: csrfOf(await other.open('/account/apps')) })
    assertError('page', await other.open(page(), { method: 'POST', body }), 404)
    assert.ok(await alive())
  })

  test('a stranger is sent to sign in; a developer is told that it is for merchants', async () => {
    for (const path of ['/account/apps', page()]) {
      const answer = await new Browser(server.base).open(path)
      assert.equal(answer.status, 303)
      assert.match(answer.headers.get('location') ?? '', /^\/login/)
      const developer = new Browser(server.base)
      await developer.signIn('dev@example.com')
      assertError('page', await developer.open(path), 403)
    }
  })

  for (const [what, token] of [
    ['no token', undefined],
    ['garbage', 'x'],
  ] as const) {
    test(`CSRF: revoking with ${what} is 403, and nothing ends`, async () => {
      const body = new URLSearchParams(token === undefined ? {} : { _csrf: token })
      assertError('page', await owner.open(page(), { method: 'POST', body }), 403)
      assert.ok(await alive())
    })
  }

  test('CSRF: so is a token of another browser', async () => {
    const body = new URLSearchParams({ _csrf: csrfOf(await other.open('/account/apps')) })
    assertError('page', await owner.open(page(), { method: 'POST', body }), 403)
    assert.ok(await alive())
  })

  test('opening the page ends nothing by itself', async () => {
    assert.equal((await owner.open(page())).status, 200)
    assert.ok(await alive())
  })

  test('the pages have the headers of every page', async () => {
    for (const path of ['/account/apps', page()]) {
      const { headers } = await owner.open(path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
    }
  })
})

test('spec 5.3 rule 3: Revoke access ends the tokens at the next request, and the app is gone from the list', async () => {
  const answer = await owner.submit(await owner.open(page()), {})
  assert.equal(answer.status, 200)
  assert.doesNotMatch(answer.text, /Harbour/)
  assertError(
    'envelope',
    await server.get('/integration/v1/stores', tokens.access_token),
    401,
    'token_revoked',
  )
  assertError('oauth', await refresh(server, client, tokens.refresh_token), 400, 'invalid_grant')
  assertError('page', await owner.open(page()), 404)
})
