import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { assertNoInlineCode, textOf } from '../helpers/html.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** /signup: developers make their own account, while the operator lets them. */

let server: TestServer

before(async () => {
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
  await server.newAccount('taken@example.com')
})

beforeEach(() => server.storage.switches.set('sign_up', true))

// A new window of the throttle for each test.
afterEach(() => server.clock.advance(60))

after(() => server.close())

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
const cookieHeader = (browser: Browser) =>
  browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')

interface Fields {
  email: string
  password?: string
  next?: string
}

/** Fills in the form, and answers what comes back without following it. */
async function signUp(browser: Browser, fields: Fields, from = '192.0.2.1'): Promise<Answer> {
  const page = await browser.open('/signup')
  const body = new URLSearchParams({ _csrf: csrfOf(page), password, ...fields })
  const headers = { 'x-forwarded-for': from, cookie: cookieHeader(browser) }
  return browser.open('/signup', { method: 'POST', body, headers })
}

const find = (email: string) => server.storage.accounts.findByEmail(email)

describe('while it is on', () => {
  test('a stranger becomes a developer, is signed in, and can sign in again', async () => {
    const browser = new Browser(server.base)
    const answer = await signUp(browser, { email: ' New@Example.com ' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/developer/apps'])
    assert.equal((await browser.open('/developer/apps')).status, 200)
    const account = await find('new@example.com')
    assert.deepEqual([account?.role, account?.disabled_at], ['developer', null])
    const again = new Browser(server.base)
    assert.match((await again.signIn('new@example.com')).text, /You have no apps yet/)
  })

  test('an email that the platform named as a merchant’s is taken', async () => {
    await server.push(sampleStore({ id: 5, merchant: 'owner@shop.example' }))
    const answer = await signUp(new Browser(server.base), { email: 'Owner@shop.example' })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /already exists/)
    assert.equal(await find('owner@shop.example'), null)
  })

  test('whatever the form says, the account is a developer’s', async () => {
    const browser = new Browser(server.base)
    const page = await browser.open('/signup')
    const body = new URLSearchParams({
      _csrf: csrfOf(page),
      email: 'role@example.com',
      password,
      role: 'operator',
    })
    await browser.open('/signup', { method: 'POST', body })
    assert.equal((await find('role@example.com'))?.role, 'developer')
  })

  test('the audit log records who signed up, and from where', async () => {
    await signUp(new Browser(server.base), { email: 'recorded@example.com' }, '192.0.2.77')
    const { id = '' } = (await find('recorded@example.com')) ?? {}
    const { lines } = await server.storage.audit.list({ account_id: id, limit: 10, scan_limit: 10 })
    assert.deepEqual(
      lines.map(({ action, actor_name, address }) => [action, actor_name, address]),
      [
        ['sign_in', 'recorded@example.com', '192.0.2.77'],
        ['account_created', 'recorded@example.com', '192.0.2.77'],
      ],
    )
  })

  test('the sign-in page leads there, and shows the rules before', async () => {
    assert.match((await server.get('/login')).text, /href="\/signup"/)
    const { status, text } = await server.get('/signup')
    assert.equal(status, 200)
    assert.match(textOf(text), /At least 10 characters/)
    assert.match(text, /<label for="email">Email<\/label>/)
    assert.match(text, /<label for="password">Password<\/label>/)
    assert.match(text, /autocomplete="new-password"/)
    assert.doesNotMatch(text, /<script/, 'where a password is typed no script runs')
    assertNoInlineCode(text)
  })

  test('`next` leads on after signing up, to pages of this server only', async () => {
    const login = await server.get('/login?next=%2Fdeveloper%2Fapps%2Fnew')
    assert.match(textOf(login.text.replaceAll('href=', '>')), /"\/signup\?next=%2Fdeveloper%2Fapps%2Fnew"/)
    const kept = await signUp(new Browser(server.base), {
      email: 'next@example.com',
      next: '/developer/apps/new',
    })
    assert.equal(kept.headers.get('location'), '/developer/apps/new')
    const dropped = await signUp(new Browser(server.base), {
      email: 'evil@example.com',
      next: '//evil.example',
    })
    assert.equal(dropped.headers.get('location'), '/developer/apps')
    const page = await server.get('/signup?next=%2F%2Fevil.example')
    assert.match(page.text, /name="next" value=""/)
  })

  test('one who is signed in has nothing to do there', async () => {
    const browser = new Browser(server.base)
    await browser.signIn('taken@example.com')
    const answer = await browser.open('/signup')
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/account/apps'])
  })

  const refused = [
    { name: 'no email', fields: { email: '' }, field: 'email', says: /does not have the form name@domain/ },
    { name: 'no address', fields: { email: 'nobody' }, field: 'email', says: /does not have the form/ },
    { name: 'a taken email', fields: { email: 'Taken@example.com' }, field: 'email', says: /already exists/ },
    {
      name: 'a short password',
      fields: { email: 'short@example.com', password: 'ninechars' },
      field: 'password',
      says: /The password has 9 characters; it must have 10 to 1024/,
    },
    {
      name: 'a huge password',
      fields: { email: 'huge@example.com', password: 'x'.repeat(1025) },
      field: 'password',
      says: /1025 characters/,
    },
  ]
  for (const { name, fields, field, says } of refused) {
    test(`${name}: 422, said at the field; the email stays, the password does not, nobody is signed in`, async () => {
      const browser = new Browser(server.base)
      const page = await signUp(browser, fields)
      assert.equal(page.status, 422)
      const problem = new RegExp(`role="alert" id="${field}-problem">([^<]*)<`).exec(page.text)?.[1] ?? ''
      assert.match(problem, says)
      assert.match(
        page.text,
        new RegExp(`aria-invalid="true" aria-describedby="${field}-problem ${field}-hint"`),
      )
      assert.match(page.text, new RegExp(`name="email" value="${fields.email}"`))
      if (fields.password) assert.ok(!page.text.includes(fields.password))
      assert.equal(
        browser.cookies.find(cookie => cookie.name === 'tillgate_session'),
        undefined,
      )
      if (field === 'password') assert.equal(await find(fields.email), null)
    })
  }

  test('script in the email is text', async () => {
    const { text } = await signUp(new Browser(server.base), { email: '"><script>alert(1)</script>' })
    assertNoInlineCode(text)
  })

  test('CSRF: no account without the token of its own browser', async () => {
    const foreign = csrfOf(await new Browser(server.base).open('/signup'))
    for (const token of [undefined, '', 'x', foreign]) {
      const browser = new Browser(server.base)
      await browser.open('/signup')
      const form = { email: 'forged@example.com', password }
      const body = new URLSearchParams({ ...form, ...(token !== undefined && { _csrf: token }) })
      assertError('page', await browser.open('/signup', { method: 'POST', body }), 403)
    }
    assert.equal(await find('forged@example.com'), null)
  })

  test('the 11th attempt of an address within a minute waits, whatever the emails; others do not', async () => {
    for (let i = 0; i < 10; i++) {
      const { status } = await signUp(
        new Browser(server.base),
        { email: `many${i}@example.com` },
        '192.0.2.5',
      )
      assert.equal(status, 303)
    }
    const late = await signUp(new Browser(server.base), { email: 'many10@example.com' }, '192.0.2.5')
    assert.deepEqual([late.status, late.headers.get('retry-after')], [429, '60'])
    assert.match(textOf(late.text), /Too many attempts\. Wait 60 seconds/)
    assert.match(late.text, /value="many10@example\.com"/)
    assert.equal(await find('many10@example.com'), null)
    const elsewhere = await signUp(new Browser(server.base), { email: 'many10@example.com' }, '192.0.2.6')
    assert.equal(elsewhere.status, 303)
    server.clock.advance(60)
    assert.equal(
      (await signUp(new Browser(server.base), { email: 'many11@example.com' }, '192.0.2.5')).status,
      303,
    )
  })
})

describe('while it is off, which it is until the operator turns it on', () => {
  beforeEach(() => server.storage.switches.set('sign_up', false))

  test('a new server has it off', async t => {
    const fresh = await startServer()
    t.after(() => fresh.close())
    assertError('page', await fresh.get('/signup'), 404)
  })

  test('the page says so, and the sign-in page does not lead there', async () => {
    const page = await server.get('/signup')
    assertError('page', page, 404)
    assert.match(page.text, /Sign-up is closed/)
    assert.doesNotMatch((await server.get('/login')).text, /signup/)
  })

  test('a form that was opened before makes no account', async () => {
    await server.storage.switches.set('sign_up', true)
    const browser = new Browser(server.base)
    const page = await browser.open('/signup')
    await server.storage.switches.set('sign_up', false)
    const body = new URLSearchParams({ _csrf: csrfOf(page), email: 'late@example.com', password })
    assertError('page', await browser.open('/signup', { method: 'POST', body }), 404)
    assert.equal(await find('late@example.com'), null)
  })
})
