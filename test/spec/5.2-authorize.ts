import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authorizePath,
  type Client,
  decide,
  type Fields,
  redeem,
  redirectUri,
  refusedAt,
} from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer
let app: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('dev@example.com', 'developer')
  await server.push(sampleStore(), sampleStore({ id: 1002, name: 'Mill Lane' }))
  app = await server.newApp({ redirect_uris: [redirectUri] })
})

after(() => server.close())

/** The page that a request ends on which must not lead anywhere. */
async function pageOf(path: string) {
  const answer = await new Browser(server.base).open(path)
  assert.equal(answer.headers.get('location'), null)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status))
  return answer
}

describe('spec 5.2: the authorization endpoint', () => {
  test('after the user authorizes, the browser returns to redirect_uri with a code that works', async () => {
    const location = await decide(server, app)
    assert.equal(location.origin + location.pathname, redirectUri)
    const code = location.searchParams.get('code')
    assert.ok(code)
    assert.equal((await redeem(server, app, code)).status, 200)
  })

  for (const state of ['abc', 'a b+c&d=é', '{"x":1}', 's'.repeat(500)]) {
    test(`state comes back as it was: ${state.slice(0, 20)}`, async () => {
      assert.equal((await decide(server, app, { changes: { state } })).searchParams.get('state'), state)
    })
  }

  test('state is optional, and not made up', async () => {
    assert.equal((await decide(server, app)).searchParams.get('state'), null)
  })

  test('RFC 9207: the answer names its issuer', async () => {
    assert.equal((await decide(server, app)).searchParams.get('iss'), server.base)
  })

  test('it needs no authorization, and leads to sign-in', async () => {
    const browser = new Browser(server.base)
    const page = await browser.follow(await browser.open(authorizePath(app)))
    assert.equal(page.status, 200)
    assert.match(page.text, /Sign in/)
  })

  const redirected: { name: string; changes: Fields; error: string }[] = [
    {
      name: 'only code is accepted: token',
      changes: { response_type: 'token' },
      error: 'unsupported_response_type',
    },
    {
      name: 'only code is accepted: code token',
      changes: { response_type: 'code token' },
      error: 'unsupported_response_type',
    },
    {
      name: 'only code is accepted: id_token',
      changes: { response_type: 'id_token' },
      error: 'unsupported_response_type',
    },
    { name: 'response_type is required', changes: { response_type: undefined }, error: 'invalid_request' },
    {
      name: 'response_type is required, not empty',
      changes: { response_type: '' },
      error: 'invalid_request',
    },
    { name: 'scope is required', changes: { scope: undefined }, error: 'invalid_request' },
    { name: 'scope is required, not empty', changes: { scope: '' }, error: 'invalid_request' },
    { name: 'scope is a scope', changes: { scope: 'everything' }, error: 'invalid_scope' },
    {
      name: 'design: response_mode is query',
      changes: { response_mode: 'fragment' },
      error: 'invalid_request',
    },
    {
      name: 'design: response_mode is no form',
      changes: { response_mode: 'form_post' },
      error: 'invalid_request',
    },
  ]
  for (const { name, changes, error } of redirected) {
    test(`${name}; the error goes to redirect_uri with state and iss`, async () => {
      const location = await refusedAt(server, authorizePath(app, { state: 'the state', ...changes }))
      assert.equal(location.origin + location.pathname, redirectUri)
      assert.equal(location.hash, '')
      assert.equal(location.searchParams.get('error'), error)
      assert.equal(location.searchParams.get('state'), 'the state')
      assert.equal(location.searchParams.get('iss'), server.base)
      assert.equal(location.searchParams.get('code'), null)
    })
  }

  const shown: { name: string; changes: Fields }[] = [
    { name: 'client_id is required', changes: { client_id: undefined } },
    { name: 'client_id must be known', changes: { client_id: 'nobody' } },
    { name: 'client_id is no markup', changes: { client_id: '<script>alert(1)</script>' } },
    { name: 'redirect_uri is required', changes: { redirect_uri: undefined } },
    { name: 'redirect_uri must be registered', changes: { redirect_uri: 'https://evil.example.com/cb' } },
    { name: 'redirect_uri is required, not empty', changes: { redirect_uri: '' } },
  ]
  for (const { name, changes } of shown) {
    test(`design: ${name}; a page says so and never redirects`, async () => {
      const { text } = await pageOf(authorizePath(app, { state: 's', ...changes }))
      assert.match(text, /request is not valid/)
      assert.doesNotMatch(text, /<script/)
    })
  }

  test('an app without a redirect URI cannot be authorized', async () => {
    await pageOf(authorizePath(await server.newApp()))
  })

  test('a repeated parameter is refused', async () => {
    const answer = await new Browser(server.base).open(`${authorizePath(app)}&scope=integration.store`)
    const location = new URL(answer.headers.get('location') ?? server.base)
    assert.notEqual(location.pathname.startsWith('/consent'), true)
    assert.equal(location.searchParams.get('code'), null)
  })

  for (const method of ['POST', 'PUT', 'DELETE']) {
    test(`it is GET: ${method} is 405 with Allow, as RFC 6749 JSON`, async () => {
      const response = await fetch(server.base + authorizePath(app), { method, redirect: 'manual' })
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'GET, HEAD')
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.equal(((await response.json()) as any).error, 'invalid_request')
    })
  }
})

describe('design: consent', () => {
  const consentOf = (client: Client, email = 'owner@example.com', browser = new Browser(server.base)) =>
    browser.reachConsent(authorizePath(client), email)

  test('Deny returns access_denied with state and iss, and no code', async () => {
    const { searchParams } = await decide(server, app, { decision: 'deny', changes: { state: 'abc' } })
    assert.deepEqual(
      ['error', 'state', 'iss', 'code'].map(name => searchParams.get(name)),
      ['access_denied', 'abc', server.base, null],
    )
  })

  test('it is always shown, also when the app was allowed before', async () => {
    const browser = new Browser(server.base)
    const first = await consentOf(app, 'owner@example.com', browser)
    await browser.submit(first, { decision: 'allow', store: '1001' })
    const second = await consentOf(app, 'owner@example.com', browser)
    assert.equal(second.status, 200)
    assert.match(second.text, />\s*Allow\s*</)
  })

  test('it has a checkbox for each store, an Allow and a Deny', async () => {
    const { text } = await consentOf(await server.newApp({ name: 'Books', redirect_uris: [redirectUri] }))
    for (const name of ['Harbour Street', 'Mill Lane', 'Books']) assert.ok(text.includes(name), name)
    assert.equal(text.match(/type="checkbox"/g)?.length, 2)
    assert.match(text, /<button[^>]*>\s*Allow\s*</)
    assert.match(text, /<button[^>]*>\s*Deny\s*</)
  })

  test('it says which other scopes the app’s own token can then read', async () => {
    const wide = await server.newApp({ redirect_uris: [redirectUri] })
    const narrow = await server.newApp({ redirect_uris: [redirectUri], scope: 'integration.store' })
    for (const scope of ['integration.order', 'integration.inventory']) {
      assert.ok((await consentOf(wide)).text.includes(scope), scope)
      assert.ok(!(await consentOf(narrow)).text.includes(scope), scope)
    }
  })

  test('only a merchant may consent', async () => {
    const { status, text } = await consentOf(app, 'dev@example.com')
    assert.equal(status, 403)
    assert.doesNotMatch(text, />\s*Allow\s*</)
  })

  test('to allow no store at all is not possible', async () => {
    const browser = new Browser(server.base)
    const answer = await browser.submit(await consentOf(app, 'owner@example.com', browser), {
      decision: 'allow',
    })
    assert.equal(answer.status, 422)
    assert.equal(answer.headers.get('location'), null)
  })
})
