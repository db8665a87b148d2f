import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { assertNoInlineCode } from '../helpers/html.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** Every page: what its headers forbid, which forms it takes, and that nothing in it is read as markup. */

let server: TestServer
let client_id: string

const script = '<script>alert(1)</script>'

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('dev@example.com', 'developer')
  await server.push({
    kind: 'store',
    id: 1001,
    name: `${script}"'&`,
    timezone: 'Australia/Sydney',
    merchant: 'owner@example.com',
  })
  client_id = (await server.newApp({ name: `Led${script}"'&`, redirect_uris: [redirectUri] })).client_id
})

after(() => server.close())

async function consentPage(email = 'owner@example.com'): Promise<{ browser: Browser; page: Answer }> {
  const browser = new Browser(server.base)
  return { browser, page: await browser.reachConsent(authorizePath({ client_id }), email) }
}

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

describe('security headers', () => {
  const pages: { name: string; get: () => Promise<Answer>; status: number; formTargets?: string }[] = [
    { name: 'sign-in', get: () => server.get('/login'), status: 200 },
    {
      name: 'sign-in refused',
      status: 401,
      get: async () => new Browser(server.base).signIn('owner@example.com', 'wrong'),
    },
    { name: 'a form without its token', status: 403, get: () => server.post('/login', { email: 'a' }) },
    {
      name: 'consent',
      status: 200,
      get: async () => (await consentPage()).page,
      formTargets: ' https://app.example.com',
    },
    {
      name: 'consent, nothing picked',
      status: 422,
      formTargets: ' https://app.example.com',
      get: async () => {
        const { browser, page } = await consentPage()
        return browser.submit(page, { decision: 'allow' })
      },
    },
    {
      name: 'consent by a developer',
      status: 403,
      get: async () => (await consentPage('dev@example.com')).page,
    },
    { name: 'a request that is no longer open', status: 400, get: () => server.get('/consent/x') },
    {
      name: 'an authorization request that is not right',
      status: 400,
      get: () => server.get('/auth/v2/authorize'),
    },
    { name: 'no such page', status: 404, get: () => server.get('/nothing') },
    { name: 'a bad address', status: 400, get: () => server.get('/%zz') },
    { name: 'a wrong method', status: 405, get: () => server.get('/logout') },
  ]
  for (const { name, get, status, formTargets = '' } of pages) {
    test(`${name} (${status})`, async () => {
      const answer = await get()
      assert.equal(answer.status, status, answer.text)
      const policy = answer.headers.get('content-security-policy') ?? ''
      assert.deepEqual(policy.split('; '), [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        `form-action 'self'${formTargets}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ])
      assert.equal(answer.headers.get('x-frame-options'), 'DENY')
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      // What the policy forbids is not on the page either.
      assertNoInlineCode(answer.text)
      assert.doesNotMatch(answer.text, /https?:\/\/(?!app\.example\.com)/i)
    })
  }

  test('the API reference: only its own script, and no framing', async () => {
    const { headers } = await server.get('/docs/')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'; script-src 'self' 'sha256-[\w+/=]+';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
  })

  test('stylesheets and script are ours, typed, and kept for good at the address that the page names', async () => {
    const { page } = await consentPage()
    const files = [...page.text.matchAll(/<(?:link|script)[^>]*(?:href|src)="(\/assets\/[^"]+)"/g)]
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }
    assert.deepEqual(
      files.map(([, href]) => href?.split('?')[0]),
      ['/assets/pico.css', '/assets/console.css', '/assets/console.js'],
    )
    for (const [, href = ''] of files) {
      const { status, headers } = await server.get(href)
      const type = types[href.includes('.css') ? 'css' : 'js']
      assert.deepEqual(
        ['content-type', 'x-content-type-options', 'cache-control'].map(name => headers.get(name)),
        [type, 'nosniff', 'public, max-age=31536000, immutable'],
      )
      assert.equal(status, 200)
      // A page of a newer release may reach this node: it gets what there is, and must ask again.
      const other = await server.get(href.replace(/v=.*/, 'v=another'))
      assert.deepEqual([other.status, other.headers.get('cache-control')], [200, 'no-store'])
    }
  })

  test('where a password is typed no script runs', async () => {
    assert.doesNotMatch((await server.get('/login')).text, /<script/)
  })
})

describe('CSRF: a form is accepted only with the token of the browser that it was made for', () => {
  const forms = {
    '/login': { email: 'owner@example.com', password },
    '/logout': {},
    '/consent/:uid': { decision: 'allow', store: '1001' },
  }
  for (const [path, fields] of Object.entries(forms)) {
    test(`POST ${path}`, async () => {
      const { browser, page } = await consentPage()
      const uid = /action="\/consent\/([^"]+)"/.exec(page.text)?.[1] ?? ''
      const foreign = csrfOf(await new Browser(server.base).open('/login'))
      const own = csrfOf(page)
      assert.ok(own && foreign)
      const bad = {
        missing: undefined,
        empty: '',
        garbage: 'x',
        'of another browser': foreign,
        'with one character changed': own.replace(/.$/, last => (last === 'A' ? 'B' : 'A')),
      }
      for (const [what, token] of Object.entries(bad)) {
        const body = new URLSearchParams({ ...fields, ...(token !== undefined && { _csrf: token }) })
        const answer = await browser.open(path.replace(':uid', uid), { method: 'POST', body })
        assertError('page', answer, 403)
        assert.match(answer.text, /This form is no longer valid/, what)
        assert.equal(answer.headers.get('location'), null)
      }
      // Neither signed out nor decided: the page is still there.
      assert.equal((await browser.open(`/consent/${uid}`)).status, 200)
    })
  }

  test('a token in the query or in a form of another kind does not count', async () => {
    const { browser, page } = await consentPage()
    const token = encodeURIComponent(csrfOf(page))
    const attempts: [string, string, string][] = [
      [`/logout?_csrf=${token}`, 'application/x-www-form-urlencoded', 'a=b'],
      ['/logout', 'text/plain', `_csrf=${token}`],
    ]
    for (const [path, type, body] of attempts) {
      const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const response = await fetch(server.base + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type, cookie },
        body,
      })
      assert.ok([403, 415].includes(response.status), `${path} ${response.status}`)
    }
    assert.equal((await browser.open('/login')).status, 303, 'still signed in')
  })

  test('the token’s cookie cannot be made up', async () => {
    const made = 'tillgate_csrf=c2VjcmV0.c2lnbmF0dXJl'
    const answer = await server.post('/login', { _csrf: 'a-b', email: 'a', password: 'b' }, { cookie: made })
    assert.equal(answer.status, 403)
  })
})

describe('names that somebody else chose are text', () => {
  test('store and app on the consent page', async () => {
    const { page } = await consentPage()
    assert.equal(page.status, 200)
    assertNoInlineCode(page.text)
    assert.match(page.text, /&#60;script&#62;alert\(1\)&#60;\/script&#62;/)
    assert.match(page.text, /<title>Led&#60;script&#62;/)
    assert.equal(page.text.match(/<label>/g)?.length, 1)
  })

  test('client_id and parameters on the error page', async () => {
    const { text } = await server.get(
      `/auth/v2/authorize?client_id=${encodeURIComponent(script)}&redirect_uri=${encodeURIComponent(script)}`,
    )
    assertNoInlineCode(text)
  })

  test('an unknown path on the page for it', async () => {
    const { text } = await server.get(`/${encodeURIComponent(script)}`)
    assertNoInlineCode(text)
  })
})
