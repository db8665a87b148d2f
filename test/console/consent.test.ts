import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, type Client, redeem, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** The merchant's decision: made by the one who was asked, once, in time, about what was shown. */

let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('other@example.com')
  await server.newAccount('poor@example.com')
  await server.newAccount('dev@example.com', 'developer')
  await server.newAccount('op@example.com', 'operator')
  await server.push(
    {
      kind: 'store',
      id: 1001,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
    },
    { kind: 'store', id: 1002, name: 'Mill Lane', timezone: 'Europe/London', merchant: 'owner@example.com' },
    { kind: 'store', id: 2001, name: 'Elsewhere', timezone: 'Asia/Tokyo', merchant: 'other@example.com' },
  )
})

after(() => server.close())

interface Asked {
  client: Client
  browser: Browser
  page: Answer
  path: string
}

async function ask(email = 'owner@example.com', options: object = {}): Promise<Asked> {
  const client = await server.newApp({ redirect_uris: [redirectUri], ...options })
  const browser = new Browser(server.base)
  const page = await browser.reachConsent(authorizePath(client), email)
  const path = /action="(\/consent\/[^"]+)"/.exec(page.text)?.[1] ?? ''
  return { client, browser, page, path }
}

const storesOf = async (client: Client) =>
  (await server.get('/integration/v1/stores', await server.token(client))).json.data.map(
    ({ id }: { id: number }) => id,
  )

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

const post = (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.open(path, { method: 'POST', body: new URLSearchParams(fields) })

describe('who decides', () => {
  test('another browser, even signed in as the same merchant, cannot open or answer the request', async () => {
    const { client, path } = await ask()
    const thief = new Browser(server.base)
    await thief.signIn('owner@example.com')
    assertError('page', await thief.open(path), 400)
    const csrf = csrfOf(await new Browser(server.base).open('/login'))
    assert.ok(csrf)
    const own = await thief.reachConsent(authorizePath(client), 'owner@example.com')
    const answer = await post(thief, path, { _csrf: csrfOf(own), decision: 'allow', store: '1001' })
    assertError('page', answer, 400)
    assert.deepEqual(await storesOf(client), [])
  })

  test('the cookie of one request does not open another one', async () => {
    const first = await ask()
    const second = await first.browser.reachConsent(
      authorizePath(await server.newApp({ redirect_uris: [redirectUri] })),
      'owner@example.com',
    )
    const other = /action="(\/consent\/[^"]+)"/.exec(second.text)?.[1] ?? ''
    const cookies = first.browser.cookies.filter(({ path }) => path === first.path || path === '/')
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const response = await fetch(server.base + other, { headers: { cookie } })
    assert.equal(response.status, 400)
  })

  test('a signed cookie cannot be changed to another request’s', async () => {
    const [mine, theirs] = [await ask(), await ask('other@example.com')]
    const uid = theirs.path.split('/').at(-1) ?? ''
    const cookies = mine.browser.cookies.map(
      ({ name, value }) => `${name}=${name === 'tillgate_interaction' ? uid : value}`,
    )
    const response = await fetch(server.base + theirs.path, { headers: { cookie: cookies.join('; ') } })
    assert.equal(response.status, 400)
  })

  for (const email of ['dev@example.com', 'op@example.com']) {
    test(`${email} is no merchant: told so with a way to sign out, and cannot allow`, async () => {
      const { client, browser, page } = await ask(email)
      assertError('page', page, 403)
      assert.match(page.text, /Only a merchant can allow/)
      assert.match(page.text, /action="\/logout"/)
      const path = browser.cookies.find(({ name }) => name === 'tillgate_interaction')?.path ?? ''
      const answer = await post(browser, path, { _csrf: csrfOf(page), decision: 'allow', store: '1001' })
      assertError('page', answer, 403)
      assert.deepEqual(await storesOf(client), [])
      // The merchant can then take over in the same browser.
      await browser.submit(page, {})
      const again = await browser.follow(await browser.open(path))
      const consent = await browser.submit(again, {
        email: 'owner@example.com',
        password: 'correct horse battery',
      })
      assert.match(consent.text, /Harbour Street/)
    })
  }

  test('whoever signed out meanwhile must sign in again to answer', async () => {
    const { browser, page, path } = await ask()
    await post(browser, '/logout', { _csrf: csrfOf(page) })
    const answer = await post(browser, path, { _csrf: csrfOf(page), decision: 'allow', store: '1001' })
    assert.deepEqual(
      [answer.status, answer.headers.get('location')],
      [303, `/login?next=${encodeURIComponent(path)}`],
    )
  })

  test('a merchant without stores has nothing to allow', async () => {
    const { browser, page } = await ask('poor@example.com')
    assert.match(page.text, /has no stores yet/)
    assert.equal((await browser.submit(page, { decision: 'allow' })).status, 422)
    const denied = await browser.submit(page, { decision: 'deny' })
    assert.match(denied.headers.get('location') ?? '', /error=access_denied/)
  })
})

describe('when', () => {
  test('the request is open for an hour by the clock', async () => {
    const [early, late] = [await ask(), await ask()]
    server.clock.advance(3599)
    assert.equal((await early.browser.open(early.path)).status, 200)
    server.clock.advance(1)
    assertError('page', await late.browser.open(late.path), 400)
    const answer = await post(late.browser, late.path, {
      _csrf: csrfOf(late.page),
      decision: 'allow',
      store: '1001',
    })
    assertError('page', answer, 400)
    assert.deepEqual(await storesOf(late.client), [])
  })

  for (const [first, second] of [
    ['allow', 'deny'],
    ['deny', 'allow'],
    ['allow', 'allow'],
  ] as const) {
    test(`answered with ${first}, it cannot be answered again with ${second}`, async () => {
      const { client, browser, page, path } = await ask()
      // With a copy of all cookies, in case the first answer takes them away.
      const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const answer = await browser.submit(page, { decision: first, store: '1001' })
      assert.match(
        answer.headers.get('location') ?? '',
        first === 'allow' ? /[?&]code=/ : /error=access_denied/,
      )
      const again = await browser.open(path, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({ _csrf: csrfOf(page), decision: second, store: '1002' }),
      })
      assertError('page', again, 400)
      assert.deepEqual(await storesOf(client), first === 'allow' ? [1001] : [])
      const resumed = await browser.open(path.replace('/consent/', '/auth/v2/authorize/'), {
        headers: { cookie },
      })
      assertError('page', resumed, 400)
    })
  }
})

describe('about what', () => {
  const tampered: { name: string; fields: Record<string, string> }[] = [
    { name: 'scope', fields: { scope: 'integration.store integration.order platform.write' } },
    { name: 'client_id', fields: { client_id: 'another' } },
    { name: 'redirect_uri', fields: { redirect_uri: 'https://evil.example/cb' } },
    {
      name: 'account',
      fields: { account_id: 'x', accountId: 'x', email: 'other@example.com', 'login[accountId]': 'x' },
    },
    { name: 'grant', fields: { grantId: 'x', 'consent[grantId]': 'x' } },
  ]
  for (const { name, fields } of tampered) {
    test(`a ${name} slipped into the form has no effect`, async () => {
      const { client, browser, page } = await ask()
      const answer = await browser.submit(page, { decision: 'allow', store: '1001', ...fields })
      const location = new URL(answer.headers.get('location') ?? '')
      assert.equal(location.origin + location.pathname, redirectUri)
      const tokens = await redeem(server, client, location.searchParams.get('code'))
      assert.equal(tokens.status, 200, tokens.text)
      assert.equal(tokens.json.scope, 'integration.store')
      const stores = await server.get('/integration/v1/stores', tokens.json.access_token)
      assert.deepEqual(
        stores.json.data.map(({ id }: { id: number }) => id),
        [1001],
      )
    })
  }

  for (const store of ['2001', '999999', 'x', '1e3', '-1', '1001 ', '9223372036854775808', '__proto__', '']) {
    test(`the store ${JSON.stringify(store)} is refused, and nothing is allowed`, async () => {
      const { client, browser, page } = await ask()
      const answer = await browser.submit(page, { decision: 'allow', store: ['1001', store] })
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, /role="alert"/)
      assert.deepEqual(await storesOf(client), [])
    })
  }

  test('allowing without a store asks again, and does not deny', async () => {
    const { browser, page } = await ask()
    const again = await browser.submit(page, { decision: 'allow' })
    assert.equal(again.status, 422)
    assert.match(again.text, /Pick at least one store/)
    const answer = await browser.submit(again, { decision: 'allow', store: '1002' })
    assert.match(answer.headers.get('location') ?? '', /[?&]code=/)
  })

  for (const decision of ['deny', '', 'ALLOW', 'allow ', 'allowed']) {
    test(`the decision ${JSON.stringify(decision)} is a denial`, async () => {
      const { client, browser, page } = await ask()
      const answer = await browser.submit(page, { decision, store: '1001' })
      assert.match(answer.headers.get('location') ?? '', /error=access_denied/)
      assert.deepEqual(await storesOf(client), [])
    })
  }

  test('the page says what the app’s own token can read for the picked stores', async () => {
    const { page } = await ask()
    assert.match(page.text, /Read the store’s orders/)
    const { page: plain } = await ask('owner@example.com', { scope: 'integration.store' })
    assert.doesNotMatch(plain.text, /Read the store’s orders/)
  })

  test('the page names where the app is', async () => {
    const { page } = await ask()
    assert.match(page.text, /The app is at app\.example\.com/)
  })
})
