import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sha256 } from '../../src/lib/hash.ts'
import type { Account } from '../../src/storage/port/index.ts'
import { authorizePath, challenge, type Client, decide, redeem, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { assertNoInlineCode, textOf } from '../helpers/html.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'
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
    test(`${email} is no merchant: the page says so, offers to sign out, and cannot be answered`, async () => {
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

  test('a merchant who signed out meanwhile must sign in again to answer', async () => {
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

describe('between Allow and the way back to the app', () => {
  async function allowed(): Promise<Asked & { back: string }> {
    const asked = await ask()
    const fields = { _csrf: csrfOf(asked.page), decision: 'allow', store: '1001' }
    const back = (await post(asked.browser, asked.path, fields)).headers.get('location')
    return { ...asked, back: back ?? assert.fail('no way back') }
  }

  test('the account is disabled: the app is told that it got no access', async () => {
    const { browser, back } = await allowed()
    const { id } = (await server.accounts.findByEmail('owner@example.com')) as Account
    await server.storage.accounts.setDisabled(id, 5, 5)
    const answer = await browser.open(back)
    await server.storage.accounts.setDisabled(id, null, 6)
    assert.match(
      answer.headers.get('location') ?? '',
      /^https:\/\/app\.example\.com\/cb\?.*\berror=access_denied\b/,
    )
  })

  test('the redirect URI is removed: no code is sent there', async () => {
    const { client, browser, back } = await allowed()
    await server.apps.change(
      client.client_id,
      { name: 'Ledger', redirect_uris: ['https://new.example.com/cb'] },
      byTest,
    )
    const answer = await browser.open(back)
    assertError('page', answer, 400)
    assert.equal(answer.headers.get('location'), null)
  })
})

for (const [redirect_uri, target] of [
  ['https://app.example.com/cb', 'https://app.example.com'],
  ['http://127.0.0.1:8080/cb', 'http://127.0.0.1:8080'],
  // A policy cannot name these hosts; a browser would ignore the name, and keep the merchant on the page.
  ['http://[::1]:8080/cb', 'http:'],
  ['https://my_app.example.com/cb', 'https:'],
] as const) {
  test(`the form of the consent page may lead to ${redirect_uri}`, async () => {
    const client = await server.newApp({ redirect_uris: [redirect_uri] })
    const path = authorizePath(client, { redirect_uri })
    const page = await new Browser(server.base).reachConsent(path, 'owner@example.com')
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.ok(policy.split('; ').includes(`form-action 'self' ${target}`), policy)
  })
}

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

  test('a refused form leads to an address of its own, so that Back does not send it again', async () => {
    const { browser, page, path } = await ask()
    const fields = { _csrf: csrfOf(page), decision: 'find', store: '1001' }
    const found = await post(browser, path, fields)
    assert.equal(found.status, 303)
    const again = await browser.follow(found)
    assert.deepEqual([again.status, ticked(again)], [200, [1001]])
    const refused = await post(browser, path, { ...fields, decision: 'allow', store: '2001' })
    assert.deepEqual([refused.status, refused.headers.get('location')?.split('?')[0]], [303, path])
    // The address is only what the page shows: a foreign store in it is not ticked, and an unknown problem not shown.
    const made = await browser.open(`${path}?shown=1&picked=1002.2001.x&problem=__proto__`)
    assert.deepEqual([made.status, ticked(made)], [200, [1002]])
  })

  const decided = async ({ client_id }: Client) => {
    const { lines } = await server.storage.audit.list({ app_id: client_id, limit: 10, scan_limit: 10 })
    return lines.map(({ action }) => action).filter(action => action.startsWith('access_'))
  }

  for (const decision of [
    undefined,
    '',
    'ALLOW',
    'allow ',
    'allowed',
    ['allow', 'allow'],
    ['deny', 'deny'],
  ]) {
    test(`the decision ${JSON.stringify(decision)} is none: the page asks again, and nothing is recorded`, async () => {
      const { client, browser, page } = await ask()
      const again = await browser.submit(page, { ...(decision && { decision }), store: '1002' })
      assert.equal(again.status, 422)
      assert.match(again.text, /role="alert".*Press Allow or Deny/s)
      assert.deepEqual(ticked(again), [1002], 'the picked stores stay ticked')
      assert.deepEqual([await storesOf(client), await decided(client)], [[], []])
      const answer = await browser.submit(again, { decision: 'allow', store: '1002' })
      assert.match(answer.headers.get('location') ?? '', /[?&]code=/)
      assert.deepEqual(await decided(client), ['access_allowed'])
    })
  }

  test('the decision "deny" is recorded as a denial', async () => {
    const { client, browser, page } = await ask()
    const answer = await browser.submit(page, { decision: 'deny', store: '1001' })
    assert.match(answer.headers.get('location') ?? '', /error=access_denied/)
    assert.deepEqual([await storesOf(client), await decided(client)], [[], ['access_denied']])
  })

  test('the page says what the app’s own token can read for the picked stores', async () => {
    const { page } = await ask()
    assert.match(page.text, /Read the store’s orders/)
    const { page: plain } = await ask('owner@example.com', { scope: 'integration.store' })
    assert.doesNotMatch(plain.text, /Read the store’s orders/)
  })
})

describe('who asks', () => {
  test('the page says who made the app, where its site is and where one returns to, as its developer says', async () => {
    const { page } = await ask('owner@example.com', {
      website: 'https://ledger.example/about?x=1',
      publisher: 'Sums <b>&</b> Sons',
    })
    const text = textOf(page.text)
    assert.match(text, /Made by ?Sums <b>&<\/b> Sons/)
    assert.match(text, /Website ?ledger\.example \(opens/)
    assert.match(
      page.text,
      /href="https:\/\/ledger\.example\/about\?x&#61;1" target="_blank" rel="noopener noreferrer"/,
    )
    assert.match(text, /You will return to ?app\.example\.com/)
    assert.match(text, /The app’s developer states its maker and website/)
    assertNoInlineCode(page.text)
  })

  test('what the developer did not state is left out', async () => {
    const { page } = await ask()
    assert.doesNotMatch(page.text, /Made by|Website|Not stated|developer states/)
  })

  test('a public app has no token of its own, so it can read nothing on its own', async () => {
    const client = await server.newApp({ redirect_uris: [redirectUri], public: true })
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const path = authorizePath(client, pkce)
    const page = await new Browser(server.base).reachConsent(path, 'owner@example.com')
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /on its own|Read the store’s orders/)
  })

  test('a connection that the operator made is shown: no answer changes it', async () => {
    const client = await server.newApp({ redirect_uris: [redirectUri] })
    await server.apps.authorize(client.client_id, [1002n, 2001n], byTest)
    const page = await new Browser(server.base).reachConsent(authorizePath(client), 'owner@example.com')
    assert.match(page.text, /Your platform’s operator connected this app to Mill Lane\./)
    assert.doesNotMatch(page.text, /Elsewhere/)
  })
})

/** The boxes of a page: name, whether it is ticked, and its hint. */
const boxesOf = ({ text }: Answer) =>
  [
    ...text.matchAll(/<li>\s*<label><input type="checkbox" name="store" value="(\d+)"([^>]*)>(.*?)<\/li>/gs),
  ].map(([, id, attributes, rest]) => {
    const [label = '', beside = ''] = (rest ?? '').split('</label>')
    return {
      id: Number(id),
      ticked: /\bchecked\b/.test(attributes ?? ''),
      label: textOf(label).trim(),
      beside,
    }
  })

const ticked = (page: Answer) => boxesOf(page).flatMap(({ id, ticked }) => (ticked ? [id] : []))

describe('which stores', () => {
  test('at first none is ticked, and nothing is said of changes', async () => {
    const { page } = await ask()
    assert.deepEqual(
      boxesOf(page).map(({ id, ticked, label, beside }) => [id, ticked, label, textOf(beside).trim()]),
      [
        [1001, false, 'Harbour Street', ''],
        [1002, false, 'Mill Lane', ''],
      ],
    )
  })

  test('asked again, it shows since when each store is allowed, and what each box would change', async () => {
    // Late in the evening of UTC: the next day where the store is.
    server.clock.set(Date.UTC(2026, 10, 1, 20) / 1000)
    const { client, browser, page } = await ask()
    await browser.submit(page, { decision: 'allow', store: '1001' })
    server.clock.advance(86_400)
    const again = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    assert.match(
      textOf(again.text),
      /since 2 Nov 2026\. It can read Harbour Street now\. The stores that you pick below/,
    )
    const [allowed, other] = boxesOf(again)
    assert.deepEqual([allowed?.ticked, other?.ticked], [true, false])
    assert.match(allowed?.beside ?? '', /class="when-ticked">Allowed since 2 Nov 2026</)
    assert.match(allowed?.beside ?? '', /class="when-unticked">Loses access to this store</)
    assert.match(other?.beside ?? '', /class="when-ticked">New for this app</)
  })

  test('another merchant’s consent to the same app leaves no trace on the page', async () => {
    const client = await server.newApp({ redirect_uris: [redirectUri] })
    await decide(server, client, { email: 'other@example.com', stores: ['2001'] })
    const page = await new Browser(server.base).reachConsent(authorizePath(client), 'owner@example.com')
    assert.doesNotMatch(page.text, /Elsewhere|allowed this app before|\b2001\b/)
    await decide(server, client, { stores: ['1001'] })
    assert.deepEqual(await storesOf(client), [1001, 2001])
    await decide(server, client, { stores: ['1002'] })
    assert.deepEqual(await storesOf(client), [1002, 2001], 'the other merchant’s stores stay theirs')
  })

  test('a problem keeps what was picked', async () => {
    const { browser, page } = await ask()
    const again = await browser.submit(page, { decision: 'allow', store: ['1002', '2001'] })
    assert.equal(again.status, 422)
    assert.deepEqual(ticked(again), [1002])
  })
})

describe('many stores, without script', () => {
  const many = 320
  before(async () => {
    await server.newAccount('chain@example.com')
    await server.push(
      ...Array.from({ length: many }, (_, i) => ({
        kind: 'store',
        id: 5000 + i,
        name: i % 2 ? `Corner ${i}` : `Kiosk ${i}`,
        timezone: 'Europe/Paris',
        merchant: 'chain@example.com',
      })),
    )
  })

  test('All, None and Find show the page again, keep what was picked, and decide nothing', async () => {
    const { client, browser, page } = await ask('chain@example.com')
    assert.equal(boxesOf(page).length, many)
    const found = await browser.submit(page, {
      decision: 'find',
      store_search: ' KIOSK 31 ',
      store: ['5001', '5300'],
    })
    assert.equal(found.status, 200)
    assert.deepEqual(
      boxesOf(found).map(({ label, ticked }) => [label, ticked]),
      [['Corner 1', true], ['Kiosk 300', true], ...[310, 312, 314, 316, 318].map(i => [`Kiosk ${i}`, false])],
      'what is picked stays in the list, since it is sent by its box',
    )
    assert.match(textOf(found.text), /2 of 320 picked/)
    const all = await browser.submit(found, {
      decision: 'all',
      store_search: 'kiosk 31',
      store: ['5001', '5300'],
    })
    assert.deepEqual(ticked(all), [5001, 5300, 5310, 5312, 5314, 5316, 5318])
    const none = await browser.submit(all, {
      decision: 'none',
      store_search: 'kiosk 31',
      store: ticked(all).map(String),
    })
    assert.deepEqual(ticked(none), [5001, 5300])
    assert.deepEqual(ticked(await browser.submit(none, { decision: 'none', store: ['5001'] })), [])
    const nothing = await browser.submit(none, { decision: 'find', store_search: '<i>zzz' })
    assert.match(nothing.text, /No store has “&#60;i&#62;zzz” in its name/)
    assert.deepEqual(await storesOf(client), [])
    assert.equal((await browser.submit(none, { decision: 'allow', store: '5001' })).status, 303)
  })

  test('all of them can be allowed at once', async () => {
    const { client, browser, page } = await ask('chain@example.com')
    const all = await browser.submit(page, { decision: 'all' })
    assert.equal(ticked(all).length, many)
    await browser.submit(all, { decision: 'allow', store: ticked(all).map(String) })
    const token = await server.token(client)
    const { json } = await server.get('/integration/v1/stores?count=1000', token)
    assert.equal(json.data.length, many)
  })
})

const browserCookie = 'tillgate_browser'

describe('in which browser', () => {
  test('the provider’s cookies alone do not open a request that another browser began', async () => {
    const { browser, path } = await ask()
    const victim = new Browser(server.base)
    await victim.signIn('owner@example.com')
    // As a neighbouring host could plant them: all but the one whose name no other host may set.
    victim.cookies.push(...browser.cookies.filter(({ name }) => /interaction|resume/.test(name)))
    assertError('page', await victim.open(path), 400)
    await victim.open(authorizePath(await server.newApp({ redirect_uris: [redirectUri] })))
    assertError('page', await victim.open(path), 400)
  })

  test('an app cannot say which browser it was', async () => {
    const client = await server.newApp({ redirect_uris: [redirectUri] })
    const planted = 'x'.repeat(43)
    const path = authorizePath(client, { tillgate_browser: sha256(planted) })
    const browser = new Browser(server.base)
    const consent = (await browser.open(path)).headers.get('location') ?? ''
    const own = browser.cookies.find(({ name }) => name === browserCookie)
    assert.notEqual(own?.value, planted)
    const opened = await browser.open(consent, { headers: { cookie: cookieHeader(browser, planted) } })
    assertError('page', opened, 400)
  })

  test('two requests can wait in one browser, and each is answered by itself', async () => {
    const { client, browser, page } = await ask()
    const second = await server.newApp({ redirect_uris: [redirectUri] })
    const other = await browser.reachConsent(authorizePath(second, { state: 'two' }), 'owner@example.com')
    await browser.submit(page, { decision: 'allow', store: '1001' })
    const answer = await browser.submit(other, { decision: 'allow', store: '1002' })
    assert.match(answer.headers.get('location') ?? '', /state=two/)
    assert.deepEqual([await storesOf(client), await storesOf(second)], [[1001], [1002]])
  })
})

const cookieHeader = (browser: Browser, browserValue: string) =>
  browser.cookies
    .map(({ name, value }) => `${name}=${name === browserCookie ? browserValue : value}`)
    .join('; ')

describe('the way back', () => {
  const state = 'a b&c=d/é'

  test('is the app’s own address with state and iss, after a sign-in, a wrong account and a mistake', async () => {
    const client = await server.newApp({ redirect_uris: [redirectUri] })
    const browser = new Browser(server.base)
    const path = authorizePath(client, { state, redirect_uri: `${redirectUri}?tenant=7` })
    const wrong = await browser.reachConsent(path, 'dev@example.com')
    assertError('page', wrong, 403)
    const login = await browser.submit(wrong, {})
    assert.match(login.text, /asks for access to your stores/)
    const consent = await browser.submit(login, { email: 'owner@example.com', password })
    const again = await browser.submit(consent, { decision: 'allow' })
    for (const decision of ['allow', 'deny'] as const) {
      const answer =
        decision === 'allow'
          ? await browser.submit(again, { decision, store: '1001' })
          : await browser.submit(await browser.reachConsent(path, ''), { decision })
      const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '')
      assert.equal(origin + pathname, redirectUri)
      assert.deepEqual(
        ['tenant', 'state', 'iss', 'error'].map(name => searchParams.get(name)),
        ['7', state, server.base, decision === 'allow' ? null : 'access_denied'],
      )
    }
  })

  test('of a request that expired: the page leads back with an error that names it, in the browser that began it', async () => {
    const client = await server.newApp({ name: 'Led<i>ger', redirect_uris: [redirectUri] })
    const browser = new Browser(server.base)
    const page = await browser.reachConsent(authorizePath(client, { state }), 'owner@example.com')
    const path = /action="(\/consent\/[^"]+)"/.exec(page.text)?.[1] ?? ''
    server.clock.advance(3600)
    const expired = await browser.open(path)
    assertError('page', expired, 400)
    const href = /href="(https:[^"]+)">Back to app\.example\.com/.exec(expired.text)?.[1] ?? ''
    const { origin, pathname, searchParams } = new URL(textOf(href))
    assert.equal(origin + pathname, redirectUri)
    assert.deepEqual(
      ['error', 'state', 'iss', 'code'].map(name => searchParams.get(name)),
      ['access_denied', state, server.base, null],
    )
    const stranger = new Browser(server.base)
    await stranger.signIn('owner@example.com')
    assert.doesNotMatch((await stranger.open(path)).text, /Led(?:<|&#60;)/)
    server.clock.advance(3600)
    await server.storage.purge(server.clock.now())
    assert.doesNotMatch((await browser.open(path)).text, /Led(?:<|&#60;)/, 'in the end it is forgotten')
  })

  test('Back after the answer: the page says what the merchant decided, links to the app and gives no second answer', async () => {
    for (const decision of ['allow', 'deny'] as const) {
      const { client, browser, page, path } = await ask('owner@example.com', { name: 'Ledger' })
      await browser.submit(page, { decision, store: '1001' })
      for (const again of [
        await browser.open(path),
        await browser.submit(page, { decision, store: '1002' }),
      ]) {
        assertError('page', again, 400)
        assert.match(again.text, decision === 'allow' ? /You allowed Ledger/ : /You denied Ledger’s request/)
        assert.match(again.text, /href="https:\/\/app\.example\.com">Back to app\.example\.com/)
        assert.doesNotMatch(again.text, /code=|state=/)
      }
      assert.deepEqual(await storesOf(client), decision === 'allow' ? [1001] : [])
      const other = new Browser(server.base)
      await other.signIn('other@example.com')
      assert.doesNotMatch((await other.open(path)).text, /Ledger/)
    }
  })

  for (const [first, second] of [
    ['allow', 'deny'],
    ['deny', 'allow'],
  ] as const) {
    test(`stopped on the way back, a second answer (${second}) leads on to the first (${first})`, async () => {
      const { client, browser, page, path } = await ask()
      const sent = { _csrf: csrfOf(page), store: '1001' }
      const answer = await post(browser, path, { ...sent, decision: first })
      assert.match(answer.headers.get('location') ?? '', /\/auth\/v2\/authorize\//)
      const again = await post(browser, path, { ...sent, decision: second, store: '1002' })
      const back = await browser.follow(again)
      assert.match(
        back.headers.get('location') ?? '',
        first === 'allow' ? /[?&]code=/ : /error=access_denied/,
      )
      assert.deepEqual(await storesOf(client), first === 'allow' ? [1001] : [])
    })
  }

  test('an app that was disabled meanwhile is named, and cannot be allowed', async () => {
    const { client, browser, page, path } = await ask('owner@example.com', { name: 'Ledger' })
    await server.apps.setDisabled(client.client_id, true, byTest)
    assertError('page', await browser.open(path), 403)
    const answer = await browser.submit(page, { decision: 'allow', store: '1001' })
    assertError('page', answer, 403)
    assert.match(answer.text, /Your platform’s operator has disabled Ledger/)
  })
})
