import assert from 'node:assert/strict'
import { after, afterEach, before, describe, type TestContext, test } from 'node:test'
import { safeNext } from '../../src/console/sign-in/next.ts'
import type { Account } from '../../src/storage/port/index.ts'
import { Browser } from '../helpers/browser.ts'
import { textOf } from '../helpers/html.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer

before(async () => {
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
  await server.newAccount('owner@example.com')
})

// A new window of the throttle for each test.
afterEach(() => server.clock.advance(60))

after(() => server.close())

const session = (browser: Browser) => browser.cookies.find(({ name }) => name === 'tillgate_session')

/** Who is signed in goes on from /login at once; anybody else gets the form. */
const isSignedIn = async (browser: Browser) => (await browser.open('/login')).status === 303

const cookiesOf = ({ headers }: Answer, name: string) =>
  headers.getSetCookie().filter(line => line.startsWith(`${name}=`))

/** A page without what differs each time. */
const still = (text: string) =>
  text.replace(/name="_csrf" value="[^"]*"/, '').replace(/name="email" value="[^"]*"/, '')

async function tryToSignIn(email: string, secret: string, from = '192.0.2.1'): Promise<Answer> {
  const browser = new Browser(server.base)
  const page = await browser.open('/login')
  const form = new URLSearchParams({ _csrf: csrfOf(page), email, password: secret })
  return browser.open('/login', {
    method: 'POST',
    body: form,
    headers: { 'x-forwarded-for': from, cookie: cookieHeader(browser) },
  })
}

const cookieHeader = (browser: Browser) =>
  browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

describe('signing in', () => {
  test('the right email and password start a session; case and spaces around the email do not matter', async () => {
    for (const email of ['owner@example.com', ' OWNER@Example.com ']) {
      const browser = new Browser(server.base)
      await browser.signIn(email)
      assert.ok(session(browser))
      assert.ok(await isSignedIn(browser))
    }
  })

  test('unknown email, wrong password and disabled account get the same answer, to the byte', async () => {
    const wrong = await tryToSignIn('owner@example.com', 'not the password')
    const unknown = await tryToSignIn('nobody@example.com', 'not the password')
    const empty = await tryToSignIn('', '')
    const similar = await tryToSignIn('owner@example.com', `${password} `)
    for (const answer of [wrong, unknown, empty, similar]) {
      assert.equal(answer.status, 401)
      assert.equal(still(answer.text), still(wrong.text))
      assert.deepEqual([...answer.headers.keys()], [...wrong.headers.keys()])
      assert.deepEqual(cookiesOf(answer, 'tillgate_session'), [])
    }
  })

  test('an unknown email takes as long as a wrong password, so the time reveals nothing either', async () => {
    const time = async (email: string) => {
      const times: number[] = []
      for (let i = 0; i < 5; i++) {
        const browser = new Browser(server.base)
        const page = await browser.open('/login')
        const began = performance.now()
        await browser.submit(page, { email, password: 'not the password' })
        times.push(performance.now() - began)
        server.clock.advance(60)
      }
      return Math.min(...times)
    }
    const known = await time('owner@example.com')
    const unknown = await time('nobody@example.com')
    assert.ok(unknown > known / 3, `unknown ${unknown} ms, known ${known} ms`)
  })

  test('fields that are repeated, missing or objects are a failed sign-in, not a fault', async () => {
    for (const form of [
      'email=a&email=b&password=x',
      'email[]=a',
      'email[a]=b&password[b]=c',
      '',
      '__proto__=x&email=__proto__',
      'email=%00&password=%00',
      'email=%ED%A0%80',
    ]) {
      const browser = new Browser(server.base)
      const csrf = csrfOf(await browser.open('/login'))
      const answer = await browser.open('/login', {
        method: 'POST',
        body: `${form}&_csrf=${encodeURIComponent(csrf)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookieHeader(browser) },
      })
      assert.equal(answer.status, 401, form)
    }
  })

  test('an email comes back on the page as text, never as markup', async () => {
    const answer = await tryToSignIn('"><script>alert(1)</script>', 'x')
    assert.doesNotMatch(answer.text, /<script/)
    assert.match(answer.text, /&#60;script&#62;/)
  })

  test('the password never comes back', async () => {
    const answer = await tryToSignIn('owner@example.com', 'a-password-of-mine')
    assert.doesNotMatch(answer.text, /a-password-of-mine/)
  })
})

describe('a sign-in that is under way', () => {
  /** What happens once the account has been read, and before its password has been looked at. */
  function meanwhile(t: TestContext, happens: () => Promise<unknown>): void {
    const { accounts } = server.storage
    const find = accounts.findByEmail
    const { mock } = t.mock.method(accounts, 'findByEmail', async (email: string) => {
      const found = await find(email)
      mock.restore()
      await happens()
      return found
    })
  }

  const entriesOf = async (account_id: string) =>
    (await server.storage.audit.list({ account_id, limit: 9, scan_limit: 9 })).lines.map(
      ({ action }) => action,
    )

  async function setOtherPassword(id: string) {
    const { password_hash: replaces } = (await server.storage.accounts.find(id)) as Account
    await server.storage.accounts.setPassword(id, { password_hash: 'another hash', replaces })
  }

  for (const [name, happens] of [
    ['is disabled', (id: string) => server.storage.accounts.setDisabled(id, 5, 5)],
    ['gets another password', setOtherPassword],
  ] as const) {
    test(`fails when the account ${name} meanwhile, with the same answer as any refused sign-in`, async t => {
      const email = `${name.replaceAll(' ', '-')}@example.com`
      const { id } = await server.newAccount(email)
      const wrong = await tryToSignIn(email, 'not the password')
      meanwhile(t, () => happens(id))
      const answer = await tryToSignIn(email, password)
      assert.equal(answer.status, 401)
      assert.equal(still(answer.text), still(wrong.text))
      assert.deepEqual(cookiesOf(answer, 'tillgate_session'), [])
      assert.deepEqual(await entriesOf(id), ['sign_in_refused', 'sign_in_refused', 'account_created'])
    })
  }
})

describe('the token of forms', () => {
  const secretOf = (browser: Browser) => browser.cookies.find(({ name }) => name === 'tillgate_csrf')?.value

  test('is renewed at sign-in: a token known or planted before is invalid in the session', async () => {
    const browser = new Browser(server.base)
    const before = csrfOf(await browser.open('/login'))
    const planted = secretOf(browser)
    await browser.signIn('owner@example.com')
    const page = await browser.open('/account/apps')
    assert.ok(planted !== undefined && secretOf(browser) !== undefined)
    assert.notEqual(secretOf(browser), planted)
    const send = (csrf: string) =>
      browser.open('/logout', { method: 'POST', body: new URLSearchParams({ _csrf: csrf }) })
    assert.equal((await send(before)).status, 403)
    assert.ok(await isSignedIn(browser))
    assert.equal((await send(csrfOf(page))).status, 303)
    assert.ok(!(await isSignedIn(browser)))
  })
})

describe('the session cookie', () => {
  test('is HttpOnly, SameSite=Lax, for the whole site, and ends with the session', async () => {
    const answer = await tryToSignIn('owner@example.com', password)
    const [line = ''] = cookiesOf(answer, 'tillgate_session')
    assert.match(line, /^tillgate_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('under https every cookie is Secure, and ours are named __Host- without a Domain', async t => {
    const https = await startServer({ issuer: 'https://pos.example.com' })
    t.after(() => https.close())
    await https.newAccount('owner@example.com')
    const app = await https.newApp({ redirect_uris: ['https://app.example.com/cb'] })
    const browser = new Browser(https.base)
    const page = await browser.open('/login')
    const form = new URLSearchParams({ _csrf: csrfOf(page), email: 'owner@example.com', password })
    const signedIn = await browser.open('/login', {
      method: 'POST',
      body: form,
      headers: { cookie: cookieHeader(browser) },
    })
    assert.equal(signedIn.status, 303)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri: 'https://app.example.com/cb',
      scope: 'integration.store',
    })
    const authorize = await browser.open(`/auth/v2/authorize?${query}`)
    const lines = [page, signedIn, authorize].flatMap(({ headers }) => headers.getSetCookie())
    assert.ok(lines.some(line => line.startsWith('__Host-tillgate_session=')))
    assert.ok(lines.some(line => line.startsWith('__Host-tillgate_csrf=')))
    assert.ok(lines.some(line => line.startsWith('__Host-tillgate_browser=')))
    // These two are of one path each, which the name __Host- would not allow.
    assert.ok(lines.some(line => line.startsWith('__Secure-tillgate_interaction=')))
    assert.ok(lines.some(line => line.startsWith('__Secure-tillgate_resume=')))
    for (const line of lines) {
      assert.match(line, /^__(Host|Secure)-/)
      if (line.startsWith('__Host-')) assert.match(line, /; path=\/(;|$)/i)
      assert.match(line, /; secure(;|$)/i, line)
      assert.match(line, /; httponly(;|$)/i, line)
      assert.match(line, /; samesite=lax(;|$)/i, line)
      assert.doesNotMatch(line, /; domain=/i)
    }
  })

  test('holds a new value after each sign-in: one planted before is invalid, and the old session ends', async () => {
    const browser = new Browser(server.base)
    browser.cookies.push({ name: 'tillgate_session', value: 'planted', path: '/' })
    await browser.signIn('owner@example.com')
    const first = session(browser)?.value
    assert.notEqual(first, 'planted')
    const page = await new Browser(server.base).open('/login')
    const csrf = page.headers.getSetCookie()[0]?.split(';')[0]
    const again = await fetch(`${server.base}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `${csrf}; tillgate_session=${first}` },
      body: new URLSearchParams({ _csrf: csrfOf(page), email: 'owner@example.com', password }),
    })
    assert.equal(again.status, 303)
    assert.ok(!(await isSignedIn(browser)), 'the session before it has ended')
  })

  test('is not stored as it is', async () => {
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    assert.equal(
      await server.storage.sessions.findAccount(session(browser)?.value ?? '', server.clock.now()),
      null,
    )
  })

  test('the root is a start page for strangers, and leads those who are signed in to their own pages', async () => {
    const { status, text } = await new Browser(server.base).open('/')
    assert.equal(status, 200)
    for (const part of [/Merchants/, /Developers/, /Operators/, /href="\/docs\/"/, /href="\/login"/])
      assert.match(text, part)
    assert.doesNotMatch(text, /href="\/signup"/, 'while sign-up is off')
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    assert.equal((await browser.open('/')).headers.get('location'), '/account/apps')
    const missing = await browser.open('/no/such/page')
    assert.equal(missing.status, 404)
    assert.match(missing.text, /href="\/">Go to the start page/)
  })

  test('is dead on the server after signing out, also for somebody who copied it', async () => {
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    const copy = new Browser(server.base)
    copy.cookies.push(...browser.cookies)
    assert.ok(await isSignedIn(copy))
    const csrf = csrfOf(await new Browser(server.base).open('/login'))
    assert.ok(csrf)
    const answer = await signOut(browser)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/login'])
    assert.ok(!(await isSignedIn(copy)))
  })

  test('lasts 12 hours by the clock, and not a second longer', async () => {
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    server.clock.advance(12 * 3600 - 1)
    assert.ok(await isSignedIn(browser))
    server.clock.advance(1)
    assert.ok(!(await isSignedIn(browser)))
  })

  for (const value of ['', 'x', '../../etc/passwd', 'a'.repeat(4000), "' or 1=1 --", '%00', '{"a":1}']) {
    test(`with the value ${JSON.stringify(value.slice(0, 20))} nobody is signed in`, async () => {
      const answer = await server.get('/login', undefined, { cookie: `tillgate_session=${value}` })
      assert.equal(answer.status, 200)
    })
  }
})

/** Not every account sees a page with the sign-out form, so the test fills it in by hand. */
async function signOut(browser: Browser): Promise<Answer> {
  const stranger = new Browser(server.base)
  const csrf = csrfOf(await stranger.open('/login'))
  const cookie = `${cookieHeader(stranger)}; tillgate_session=${session(browser)?.value}`
  return browser.open('/logout', {
    method: 'POST',
    body: new URLSearchParams({ _csrf: csrf }),
    headers: { cookie },
  })
}

describe('after signing in, `next` leads only to a page of this server', () => {
  const home = '/account/apps'
  const away = [
    'https://evil.example',
    'http://evil.example/login',
    'HTTPS://evil.example',
    'https:evil.example',
    'https:/evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/./\\evil.example',
    '/x/..//evil.example',
    '/x/../..//evil.example',
    '/%2e//evil.example',
    '/%2E%2e//evil.example',
    '/.%2e//evil.example',
    '/\u0000/evil.example',
    '/é',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '?next=x',
    '#x',
    '',
  ]
  for (const next of away) {
    test(`${JSON.stringify(next)} is dropped`, async () => {
      const browser = new Browser(server.base)
      const page = await browser.open(`/login?next=${encodeURIComponent(next)}`)
      assert.match(page.text, /name="next" value=""/)
      // And when the form is tampered with.
      const form = new URLSearchParams({ _csrf: csrfOf(page), email: 'owner@example.com', password, next })
      const answer = await browser.open('/login', { method: 'POST', body: form })
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, home])
      // And when somebody is signed in already.
      const again = await browser.open(`/login?next=${encodeURIComponent(next)}`)
      assert.deepEqual([again.status, again.headers.get('location')], [303, home])
    })
  }

  test('without it everyone lands on the page for their role, also when signed in already', async () => {
    const homes = { merchant: home, developer: '/developer/apps', operator: '/operator' } as const
    for (const role of ['merchant', 'developer', 'operator'] as const) {
      await server.newAccount(`${role}@example.com`, role)
      const browser = new Browser(server.base)
      const form = { _csrf: csrfOf(await browser.open('/login')), email: `${role}@example.com`, password }
      const answer = await browser.open('/login', { method: 'POST', body: new URLSearchParams(form) })
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, homes[role]])
      assert.equal((await browser.open(homes[role])).status, 200)
      assert.equal((await browser.open('/login')).headers.get('location'), homes[role])
    }
  })

  test('next given twice is dropped', async () => {
    const page = await server.get('/login?next=/a&next=//evil.example')
    assert.match(page.text, /name="next" value=""/)
  })

  const kept = [
    '/consent/abc',
    '/account/apps?x=1&y=%2F',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/a//b',
    '/@evil.example',
  ]
  for (const next of kept) {
    test(`${next} is kept, and stays on our own host`, () => {
      assert.equal(safeNext(next, 'https://pos.example.com'), next)
      assert.equal(new URL(next, 'https://pos.example.com').origin, 'https://pos.example.com')
    })
  }
})

test('a next that leads through the authorization endpoint, and so anywhere, is dropped', () => {
  for (const next of ['/auth/v2/authorize?client_id=x', '/consent/a/../../auth/v2/authorize?client_id=x']) {
    assert.equal(safeNext(next, 'https://pos.example.com'), null)
  }
})

test('a form from anybody is small; only people who are signed in may send a large one', async () => {
  const body = new URLSearchParams({ email: 'x'.repeat(20_000) })
  assert.equal((await server.post('/login', body)).status, 413)
  const refused = await server.post('/consent/abc', { store: '1'.repeat(20_000) })
  assert.deepEqual([refused.status, refused.headers.get('location')], [303, '/login?next=%2Fconsent%2Fabc'])
})

describe('what one signs in for', () => {
  const callback = 'https://app.example.com/cb'
  const asksFor = (client_id: string) =>
    `/auth/v2/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: callback,
      scope: 'integration.store',
    })}`

  test('is named in the browser that an app sent here, and in no other', async () => {
    const { client_id } = await server.newApp({ name: 'Led<i>ger', redirect_uris: [callback] })
    const browser = new Browser(server.base)
    const page = await browser.follow(await browser.open(asksFor(client_id)))
    assert.match(page.text, /Led&#60;i&#62;ger<\/strong> asks for access to your stores/)
    const next = textOf(/name="next" value="([^"]*)"/.exec(page.text)?.[1] ?? '')
    assert.match(next, /^\/consent\/[\w-]+$/)
    const login = `/login?next=${encodeURIComponent(next)}`
    assert.doesNotMatch((await new Browser(server.base).open(login)).text, /Led(?:<|&#60;)/)
    const other = new Browser(server.base)
    await other.open(asksFor(client_id))
    assert.doesNotMatch(
      (await other.open(login)).text,
      /Led(?:<|&#60;)/,
      'nor in one that began another request',
    )
    const refused = await browser.submit(page, { email: 'owner@example.com', password: 'wrong' })
    assert.equal(refused.status, 401)
    assert.match(refused.text, /Led&#60;i&#62;ger/, 'still there after a mistake')
    const consent = await browser.submit(refused, { email: 'owner@example.com', password })
    assert.match(consent.text, /Led&#60;i&#62;ger asks for access to your stores/)
  })

  test('too many attempts: the page says how long to wait, and loses neither the way on nor the email', async () => {
    const browser = new Browser(server.base)
    const form = new URLSearchParams({
      _csrf: csrfOf(await browser.open('/login')),
      email: 'a@b.example',
      password: 'x',
      next: '/account/activity',
    })
    let answer = await browser.open('/login', { method: 'POST', body: form })
    for (let i = 0; i < 10; i++) answer = await browser.open('/login', { method: 'POST', body: form })
    assert.equal(answer.status, 429)
    assert.match(answer.text, /Too many attempts\. Wait \d+ seconds?, then try again\./)
    assert.match(answer.text, /name="next" value="\/account\/activity"/)
    assert.match(answer.text, /value="a@b\.example"/)
  })

  test('signing out leads to `next` through the next sign-in, when that is a page of this server', async () => {
    for (const [next, location] of [
      ['/consent/abc', '/login?next=%2Fconsent%2Fabc'],
      ['https://evil.example', '/login'],
      ['//evil.example', '/login'],
    ] as const) {
      const browser = new Browser(server.base)
      await browser.signIn('owner@example.com')
      const body = new URLSearchParams({ _csrf: csrfOf(await browser.open('/account/apps')), next })
      const answer = await browser.open('/logout', { method: 'POST', body })
      assert.equal(answer.headers.get('location'), location)
      assert.ok(!(await isSignedIn(browser)))
    }
  })

  test('password managers find the fields: a username and a current password, in one form', async () => {
    const { text } = await server.get('/login')
    assert.match(text, /<input type="email" id="email" name="email"[^>]* autocomplete="username"/)
    assert.match(text, /<input type="password" id="password" name="password" autocomplete="current-password"/)
    assert.doesNotMatch(text, /<script/, 'no script runs where a password is typed')
  })
})

describe('guessing passwords is slowed down for the guesser, and for nobody else', () => {
  test('the 11th failure for one email from one address is 429 with Retry-After, also with the right password', async () => {
    for (let i = 0; i < 10; i++) {
      assert.equal(
        (await tryToSignIn(i % 2 ? 'OWNER@example.com' : 'owner@example.com', 'wrong')).status,
        401,
      )
    }
    for (const secret of ['wrong', password]) {
      const answer = await tryToSignIn('owner@example.com', secret)
      assert.equal(answer.status, 429)
      assert.equal(answer.headers.get('retry-after'), '60')
      assert.match(answer.text, /Too many attempts/)
      assert.deepEqual(cookiesOf(answer, 'tillgate_session'), [])
    }
    assert.equal(
      (await tryToSignIn('owner@example.com', password, '192.0.2.2')).status,
      303,
      'the merchant at home',
    )
    server.clock.advance(60)
    assert.equal((await tryToSignIn('owner@example.com', password)).status, 303, 'a minute later')
  })

  test('the audit log records the first 20 an hour from an address, and the last entry says that no more are recorded', async () => {
    const { id } = await server.newAccount('guessed@example.com')
    const recorded = async () =>
      (await server.storage.audit.list({ action: 'sign_in_refused', limit: 200, scan_limit: 200 })).lines
    // The next hour.
    server.clock.advance(3600 - (server.clock.now() % 3600))
    const before = (await recorded()).length
    for (let i = 0; i < 24; i++) {
      if (i % 8 === 0) server.clock.advance(60)
      const email = i % 2 ? 'guessed@example.com' : 'guessed-nobody@example.com'
      assert.equal((await tryToSignIn(email, 'wrong', '192.0.2.77')).status, 401)
    }
    const lines = (await recorded()).slice(0, -before || undefined)
    assert.equal(lines.length, 20)
    assert.deepEqual(
      lines.filter(({ detail }) => detail !== null).map(({ detail, account_id }) => [detail, account_id]),
      [['the 20th from this network in this hour; further ones are not recorded', id]],
    )
    await tryToSignIn('guessed@example.com', 'wrong', '192.0.2.78')
    assert.equal((await recorded()).length, before + 21, 'of another address')
    server.clock.advance(3600)
    await tryToSignIn('guessed@example.com', 'wrong', '192.0.2.77')
    assert.equal((await recorded()).length, before + 22, 'an hour later')
  })

  test('an email that nobody has is throttled alike', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await tryToSignIn('nobody@example.com', 'wrong', '192.0.2.9')).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429])
  })
})
