import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { assertNoInlineCode, textOf } from '../helpers/html.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'
import { clientCredentials } from '../helpers/token.ts'

/** /developer/apps: a developer registers apps and changes their secrets; nobody else sees them. */

let server: TestServer
let developer: Browser
let other: Browser

before(async () => {
  server = await startServer()
  for (const name of ['dev', 'other', 'counter']) await server.newAccount(`${name}@example.com`, 'developer')
  await server.newAccount('owner@example.com')
  await server.newAccount('ops@example.com', 'operator')
  developer = await signedIn('dev@example.com')
  other = await signedIn('other@example.com')
})

after(() => server.close())

const list = '/developer/apps'
const form = '/developer/apps/new'
const cb = 'https://app.example.com/cb'
const fields = { name: 'Ledger', redirect_uris: cb, scope: ['integration.store', 'integration.order'] }

async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(email)
  return browser
}

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
const named = (text: string, what: string) =>
  new RegExp(`<dt>${what}</dt>\\s*<dd><code[^>]*>([^<]+)`).exec(text)?.[1] ?? ''
const clientOf = ({ text }: Answer) => ({
  client_id: named(text, 'client_id'),
  client_secret: named(text, 'client_secret'),
})

/** Fills in the form as a person would: what the empty form has ticked is replaced. */
const fillIn = async (browser: Browser, changes: Record<string, string | string[]> = {}) =>
  browser.submit(await browser.open(form), { ...fields, ...changes })

async function create(browser: Browser, changes: Record<string, string | string[]> = {}) {
  const page = await fillIn(browser, changes)
  assert.equal(page.status, 201, page.text)
  const client = clientOf(page)
  return { page, client, path: `${list}/${client.client_id}` }
}

const rotate = async (browser: Browser, path: string) =>
  browser.submit(await browser.open(`${path}/rotate`), {})

const countOf = async (email: string) =>
  (await server.storage.apps.ofOwner((await server.storage.accounts.findByEmail(email))?.id ?? '')).length

const worksAs = async (client: { client_id: string; client_secret: string }) =>
  (await server.post('/auth/v2/token', clientCredentials(client))).status === 200

/** Addresses that retire a secret, as the app's page offers them: the newest first. */
const retireLinks = ({ text }: Answer) =>
  [...text.matchAll(/href="(\/developer\/apps\/[^"]+\/retire)"/g)].map(([, href]) => href ?? '')

describe('creating an app', () => {
  test('the app has what the form said, and its secret gets a token at once', async () => {
    const { page, client } = await create(developer, {
      redirect_uris: `  ${cb}\r\n\r\nhttp://127.0.0.1:8080/cb `,
    })
    assert.match(page.text, /shown only once/)
    const app = await server.storage.apps.find(client.client_id)
    assert.equal(app?.name, 'Ledger')
    assert.equal(app?.scope, 'integration.store integration.order')
    assert.deepEqual(app?.redirect_uris, [cb, 'http://127.0.0.1:8080/cb'])
    assert.equal(app?.public, false)
    assert.equal(app?.owner_id, (await server.storage.accounts.findByEmail('dev@example.com'))?.id)
    assert.ok(await server.token(client))
  })

  test('the secret is on that page only: not in a redirect, an address, a cache, the log or any later page', async () => {
    const page = await developer.open(form)
    const body = new URLSearchParams({ _csrf: csrfOf(page), name: 'Once', scope: 'integration.store' })
    const answer = await developer.open(form, { method: 'POST', body })
    assert.deepEqual([answer.status, answer.headers.get('location')], [201, null])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    const { client_id, client_secret } = clientOf(answer)
    assert.match(client_secret, /^[\w-]{43}$/)
    assert.doesNotMatch(answer.text, new RegExp(`(href|action|src)="[^"]*${client_secret}`))
    for (const path of [list, form, `${list}/${client_id}`, `${list}/${client_id}/rotate`]) {
      assert.ok(!(await developer.open(path)).text.includes(client_secret), path)
    }
    assert.ok(!server.log.join('').includes(client_secret))
  })

  test('sent again by a reload or a double click, the form makes no second app and shows no secret', async () => {
    const browser = await signedIn('counter@example.com')
    const body = new URLSearchParams({
      _csrf: csrfOf(await browser.open(form)),
      name: 'Twice',
      scope: 'integration.store',
    })
    const send = () => browser.open(form, { method: 'POST', body })
    const answers = await Promise.all([send(), send(), send()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    const again = await send()
    assertError('page', again, 409)
    assert.equal(named(again.text, 'client_secret'), '')
    assert.equal(await countOf('counter@example.com'), 1)
  })

  test('a public app has no secret, then or later', async () => {
    const { page, client, path } = await create(developer, { name: 'Phone', public: 'yes' })
    assert.equal(client.client_secret, '')
    assert.match(page.text, /PKCE/)
    assert.doesNotMatch(page.text, /Copy the secret/)
    assert.deepEqual(await server.storage.apps.secrets(client.client_id), [])
    assert.doesNotMatch((await developer.open(path)).text, /\/rotate/)
    assertError('page', await developer.open(`${path}/rotate`), 404)
    const body = new URLSearchParams({ _csrf: csrfOf(await developer.open(form)), after: '' })
    assertError('page', await developer.open(`${path}/rotate`, { method: 'POST', body }), 404)
  })

  test('platform.write is not offered', async () => {
    const { text } = await developer.open(form)
    assert.doesNotMatch(text, /platform\.write/)
    assert.equal(text.match(/name="scope"/g)?.length, 3)
  })

  interface Row {
    name: string
    changes: Record<string, string | string[]>
    field: string
    says: RegExp
  }
  const refused: Row[] = [
    { name: 'no name', changes: { name: ' ' }, field: 'name', says: /The name has 0 characters/ },
    { name: 'a long name', changes: { name: 'x'.repeat(101) }, field: 'name', says: /101 characters.*100/ },
    { name: 'a name twice', changes: { name: ['a', 'b'] }, field: 'name', says: /0 characters/ },
    {
      name: 'a redirect URI over http',
      changes: { redirect_uris: `${cb}\nhttp://app.example.com/cb` },
      field: 'redirect_uri',
      says: /&#34;http:\/\/app\.example\.com\/cb&#34; cannot be used: http is for loopback hosts only/,
    },
    {
      name: 'a redirect URI that is script',
      changes: { redirect_uris: 'javascript:alert(1)' },
      field: 'redirect_uri',
      says: /does not start with https/,
    },
    {
      name: 'a public app without a redirect URI',
      changes: { redirect_uris: '', public: 'yes' },
      field: 'redirect_uri',
      says: /at least one redirect URI/,
    },
    { name: 'no scope', changes: { scope: [] }, field: 'scope', says: /Pick at least one/ },
    {
      name: 'platform.write slipped in alone',
      changes: { scope: 'platform.write', redirect_uris: '' },
      field: 'scope',
      says: /platform\.write is for the platform alone/,
    },
    {
      name: 'platform.write slipped in beside another',
      changes: { scope: ['integration.store platform.write'] },
      field: 'scope',
      says: /platform\.write is for the platform alone/,
    },
    {
      name: 'a scope that does not exist',
      changes: { scope: 'integration.all' },
      field: 'scope',
      says: /&#34;integration\.all&#34; is not one of integration\.store, integration\.order, integration\.inventory\.$/,
    },
  ]
  for (const { name, changes, field, says } of refused) {
    test(`${name}: 422, said at the field, the form as it was filled in, nothing stored`, async () => {
      const before = await countOf('dev@example.com')
      const page = await fillIn(developer, changes)
      assert.equal(page.status, 422)
      const problem = new RegExp(`role="alert" id="${field}-problem">([^<]*)<`).exec(page.text)?.[1] ?? ''
      assert.match(problem, says)
      assert.match(page.text, new RegExp(`aria-invalid="true" aria-describedby="${field}-problem`))
      assert.equal(await countOf('dev@example.com'), before)
      // Mended, the same page makes the app.
      assert.equal((await developer.submit(page, fields)).status, 201)
    })
  }

  test('all problems are shown at once, and the first field with one has the focus', async () => {
    const { text } = await fillIn(developer, {
      name: '',
      website: 'http://x.example',
      publisher: 'x'.repeat(101),
      redirect_uris: 'javascript:x',
      scope: [],
    })
    const shown = [...text.matchAll(/id="(\w+)-problem"/g)].map(([, field]) => field)
    assert.deepEqual(shown, ['name', 'website', 'publisher', 'redirect_uri', 'scope'])
    assert.equal(text.match(/ autofocus/g)?.length, 1)
  })

  test('at first only the scope that every connected app needs is ticked', async () => {
    const { text } = await developer.open(`${list}/new`)
    assert.deepEqual(
      [...text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope),
      ['integration.store'],
    )
  })

  test('what was typed comes back, as text', async () => {
    const script = '</textarea><script>alert(1)</script>"\''
    const { text } = await fillIn(developer, {
      name: script,
      redirect_uris: script,
      scope: 'integration.order',
    })
    assertNoInlineCode(text)
    assert.equal(text.match(/<\/textarea>/g)?.length, 1)
    assert.match(text, /name="name" value="&#60;\/textarea&#62;&#60;script&#62;/)
    assert.deepEqual(
      [...text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope),
      ['integration.order'],
    )
  })

  test('script in a name is text on every page', async () => {
    const { page, path } = await create(developer, { name: '<script>alert(1)</script>"\'' })
    const pages = [page, ...(await Promise.all([list, path, `${path}/rotate`].map(at => developer.open(at))))]
    for (const { text } of pages) {
      assertNoInlineCode(text)
      assert.match(text, /&#60;script&#62;alert\(1\)/)
    }
  })
})

describe('the list and the app’s page', () => {
  test('without an app the list says what to do', async () => {
    const { status, text } = await other.open(list)
    assert.equal(status, 200)
    assert.match(text, /You have no apps yet/)
    assert.match(text, /href="\/developer\/apps\/new"/)
  })

  test('each app has its name, client_id, scopes and day; its page also redirect URIs, kind and time', async () => {
    const { client, path } = await create(developer, { name: 'Shown' })
    const brief = ['Shown', client.client_id, 'integration.order', '1 Nov 2026']
    for (const [at, parts] of [
      [list, brief],
      [path, [...brief, cb, 'Confidential', '1 Nov 2026, 12:00 UTC']],
    ] as const) {
      const text = textOf((await developer.open(at)).text)
      for (const part of parts) assert.ok(text.includes(part), `${part} on ${at}`)
    }
  })

  test('a disabled app says so', async () => {
    const { client, path } = await create(developer, { name: 'Off' })
    assert.doesNotMatch((await developer.open(path)).text, /Disabled/)
    await server.storage.apps.setDisabled(client.client_id, server.clock.now())
    for (const at of [list, path]) assert.match((await developer.open(at)).text, /Disabled by the operator/)
  })
})

describe('rotating a secret', () => {
  test('two work, each with its times; the retired one gets no token from the next request on', async () => {
    const { client, path } = await create(developer, { name: 'Rotating' })
    server.clock.advance(3600)
    assert.ok(await worksAs(client))
    const question = await developer.open(`${path}/rotate`)
    assert.match(textOf(question.text), /Created 1 Nov 2026, 12:00 UTC, last used 1 Nov 2026, 13:00 UTC/)
    assert.doesNotMatch(question.text, /Stops working/)
    assert.ok(await worksAs(client), 'asking changes nothing')
    const page = await developer.submit(question, {})
    assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-store'])
    const renewed = clientOf(page)
    assert.equal(renewed.client_id, client.client_id)
    assert.ok(await worksAs(client))
    const shown = await developer.open(path)
    assert.match(textOf(shown.text), /Created 1 Nov 2026, 13:00 UTC, never used/)
    assert.ok(!shown.text.includes(renewed.client_secret))
    assert.ok(await worksAs(renewed))

    const [, oldest = ''] = retireLinks(shown)
    const retire = await developer.open(oldest)
    assert.match(textOf(retire.text), /Created 1 Nov 2026, 12:00 UTC, last used 1 Nov 2026, 13:00 UTC/)
    assert.ok(await worksAs(client), 'asking retires nothing')
    const afterwards = await developer.submit(retire, {})
    assert.equal(afterwards.status, 200)
    assert.deepEqual(retireLinks(afterwards), [], 'the last one cannot be retired')
    assert.equal(await worksAs(client), false)
    assert.ok(await worksAs(renewed))
    assertError('page', await developer.open(oldest), 404)
    server.clock.set(1_793_534_400)
  })

  test('with two at work the question says which one stops, and it does', async () => {
    const { client, path } = await create(developer, { name: 'Three' })
    const second = clientOf(await rotate(developer, path))
    assert.match((await developer.open(`${path}/rotate`)).text, /Stops working immediately/)
    const third = clientOf(await rotate(developer, path))
    assert.deepEqual(await Promise.all([client, second, third].map(worksAs)), [false, true, true])
  })

  test('sent again, or from an old tab, the form makes no further secret and pushes none out', async () => {
    const { client, path } = await create(developer, { name: 'Tabs' })
    const [tab, oldTab] = [await developer.open(`${path}/rotate`), await developer.open(`${path}/rotate`)]
    const answers = await Promise.all([1, 2].map(() => developer.submit(tab, {})))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    for (const page of [tab, oldTab]) assertError('page', await developer.submit(page, {}), 409)
    assert.equal((await server.storage.apps.secrets(client.client_id)).length, 2)
    assert.ok(await worksAs(client))
  })

  test('the only secret cannot be retired', async () => {
    const { client, path } = await create(developer, { name: 'Only' })
    const [secret] = await server.storage.apps.secrets(client.client_id)
    const at = `${path}/secrets/${secret?.id}/retire`
    assertError('page', await developer.open(at), 409)
    const body = new URLSearchParams({ _csrf: csrfOf(await developer.open(form)) })
    assertError('page', await developer.open(at, { method: 'POST', body }), 409)
    assert.ok(await worksAs(client))
  })
})

describe('who may', () => {
  /** Every address of the developer pages, for an app of `developer` with two secrets. */
  async function addresses() {
    const { client, path } = await create(developer, { name: 'Guarded' })
    await rotate(developer, path)
    const [, retire = ''] = retireLinks(await developer.open(path))
    return { client, own: [list, form], ofApp: [path, `${path}/rotate`, retire] }
  }

  test('another developer’s app is 404 to read and to change, and not in the list', async () => {
    const { client, ofApp } = await addresses()
    const known = await server.storage.apps.secrets(client.client_id)
    assert.ok(!(await other.open(list)).text.includes(client.client_id))
    for (const path of ofApp) {
      const answer = await other.open(path)
      assertError('page', answer, 404)
      assert.doesNotMatch(answer.text, /Guarded/)
    }
    const own = await create(other, { name: 'Theirs' })
    const [mine] = await server.storage.apps.secrets(own.client.client_id)
    for (const path of ofApp.slice(1)) {
      const body = new URLSearchParams({ _csrf: csrfOf(await other.open(form)), after: known[0]?.id ?? '' })
      assertError('page', await other.open(path, { method: 'POST', body }), 404)
    }
    // One's own app in the address does not open another's secret, nor the other way round.
    const [theirs] = known
    assertError('page', await other.open(`${own.path}/secrets/${theirs?.id}/retire`), 404)
    assertError('page', await other.open(`${list}/${client.client_id}/secrets/${mine?.id}/retire`), 404)
    assert.deepEqual(await server.storage.apps.secrets(client.client_id), known)
  })

  test('an app of nobody, made on the command line, is 404 too', async () => {
    const { client_id } = await server.newApp()
    assertError('page', await developer.open(`${list}/${client_id}`), 404)
  })

  for (const [email, role] of [
    ['owner@example.com', 'merchant'],
    ['ops@example.com', 'operator'],
  ] as const) {
    test(`a ${role} reads whose page it is`, async () => {
      const browser = await signedIn(email)
      const { own, ofApp } = await addresses()
      for (const path of [...own, ...ofApp]) {
        const answer = await browser.open(path)
        assertError('page', answer, 403)
        assert.match(answer.text, /This page is for developers/)
        assert.ok(answer.text.includes(email))
        assert.doesNotMatch(answer.text, /Guarded/)
      }
      const body = new URLSearchParams({ ...fields, _csrf: csrfOf(await browser.open(list)) })
      assertError('page', await browser.open(form, { method: 'POST', body }), 403)
      assert.equal(await countOf(email), 0)
    })
  }

  test('a stranger signs in first, and then is where they wanted to be', async () => {
    const { own, ofApp } = await addresses()
    for (const path of [...own, ...ofApp]) {
      const browser = new Browser(server.base)
      const answer = await browser.open(path)
      assert.deepEqual(
        [answer.status, answer.headers.get('location')],
        [303, `/login?next=${encodeURIComponent(path)}`],
      )
    }
    const browser = new Browser(server.base)
    const login = await browser.follow(await browser.open(form))
    const page = await browser.submit(login, { email: 'dev@example.com', password: 'correct horse battery' })
    assert.match(page.text, /<h1>Create an app/)
  })

  test('a session that ended does nothing with a form that is still open', async () => {
    const browser = await signedIn('dev@example.com')
    const page = await browser.open(form)
    await browser.submit(await browser.open(list), {}) // its only form that posts is Sign out
    const before = await countOf('dev@example.com')
    const body = new URLSearchParams({ _csrf: csrfOf(page), name: 'Late', scope: 'integration.store' })
    assert.equal((await browser.open(form, { method: 'POST', body })).status, 303)
    assert.equal(await countOf('dev@example.com'), before)
  })

  test('CSRF: no form is accepted without the token of its own browser', async () => {
    const { client, ofApp } = await addresses()
    const before = await countOf('dev@example.com')
    const known = await server.storage.apps.secrets(client.client_id)
    const foreign = csrfOf(await other.open(form))
    for (const path of [form, ...ofApp.slice(1)]) {
      for (const token of [undefined, '', 'x', foreign]) {
        const body = new URLSearchParams({
          name: 'Forged',
          scope: 'integration.store',
          after: known[0]?.id ?? '',
          ...(token !== undefined && { _csrf: token }),
        })
        assertError('page', await developer.open(path, { method: 'POST', body }), 403)
      }
    }
    assert.equal(await countOf('dev@example.com'), before)
    assert.deepEqual(await server.storage.apps.secrets(client.client_id), known)
  })

  test('every page has the headers of every page', async () => {
    const { own, ofApp } = await addresses()
    for (const path of [...own, ...ofApp]) {
      const { status, headers, text } = await developer.open(path)
      assert.equal(status, 200)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assertNoInlineCode(text)
    }
  })
})
