import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { decide } from '../helpers/authorize.ts'
import { appsPath, createApp, csrfOf, type OwnApp, signedIn } from '../helpers/developer.ts'
import { assertNoInlineCode, linked, textOf, wordsOf } from '../helpers/html.ts'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'
import { clientCredentials } from '../helpers/token.ts'

/** An app's own page: what it is, how it does, changing it, switching it off; and what its developer may not see. */

let server: TestServer
let developer: Browser
let other: Browser
let app: OwnApp

before(async () => {
  server = await startServer()
  for (const name of ['dev', 'other']) await server.newAccount(`${name}@example.com`, 'developer')
  await server.newAccount('owner@example.com')
  await server.newAccount('ops@example.com', 'operator')
  const place = { timezone: 'Australia/Sydney', merchant: 'owner@example.com' }
  await server.push(
    { kind: 'store', id: 1001, name: 'Harbour', ...place },
    { kind: 'store', id: 1002, name: 'Mill Lane', ...place },
  )
  developer = await signedIn(server, 'dev@example.com')
  other = await signedIn(server, 'other@example.com')
})

beforeEach(async () => {
  app = await createApp(developer)
})

after(() => server.close())

const shown = async (path: string, browser = developer): Promise<string> => {
  const { status, text } = await browser.open(path)
  assert.equal(status, 200, text)
  assertNoInlineCode(text)
  return wordsOf(text)
}

const stored = () => server.storage.apps.find(app.client_id)
const scope = ['integration.store', 'integration.order', 'integration.inventory']
const edited = { name: 'Ledger 2', website: 'https://ledger.example', publisher: 'Ledger Ltd', scope }

describe('changing an app', () => {
  test('the form has what is there; what it says is saved, and what cannot change stays', async () => {
    const page = await developer.open(`${app.path}/edit`)
    assert.match(page.text, /name="name" value="Ledger"/)
    assert.match(page.text, />\nhttps:\/\/app\.example\.com\/cb<\/textarea>/)
    assert.doesNotMatch(page.text, /name="public"/)
    assert.deepEqual(
      [...page.text.matchAll(/name="scope" value="([^"]*)" (checked)?/g)].map(([, scope, checked]) => [
        scope,
        checked,
      ]),
      ['integration.store', 'integration.order', 'integration.inventory'].map(scope => [scope, 'checked']),
    )
    const answer = await developer.submit(page, {
      ...edited,
      redirect_uris: 'https://ledger.example/a\r\nhttps://ledger.example/b',
      public: 'yes',
      owner_id: 'me',
      id: 'x',
    })
    assert.match(wordsOf(answer.text), /Changes saved\./)
    const {
      name,
      website,
      publisher,
      redirect_uris,
      scope: scopes,
      public: isPublic,
    } = (await stored()) ?? {}
    assert.deepEqual([name, website, publisher], ['Ledger 2', 'https://ledger.example/', 'Ledger Ltd'])
    assert.deepEqual(redirect_uris, ['https://ledger.example/a', 'https://ledger.example/b'])
    assert.equal(scopes, scope.join(' '))
    assert.equal(isPublic, false)
    for (const part of ['Ledger 2', 'https://ledger.example/', 'Ledger Ltd', 'https://ledger.example/b']) {
      assert.ok((await shown(app.path)).includes(part), part)
    }
  })

  test('scopes can be added and removed; after adding one, the page says that merchants must connect again', async () => {
    app = await createApp(developer, { scope: 'integration.store' })
    const save = async (some: string[]) =>
      developer.submit(await developer.open(`${app.path}/edit`), {
        ...edited,
        redirect_uris: 'https://app.example.com/cb',
        scope: some,
      })
    assert.match(wordsOf((await save(scope)).text), /Merchants must connect the app again/)
    assert.equal((await stored())?.scope, scope.join(' '))
    const less = wordsOf((await save(['integration.store', 'integration.order'])).text)
    assert.match(less, /Changes saved\./)
    assert.doesNotMatch(less, /must connect the app again/)
    assert.equal((await stored())?.scope, 'integration.store integration.order')
    const activity = await shown(`${app.path}/activity`)
    assert.match(activity, /integration\.order added, integration\.inventory added/)
    assert.match(activity, /integration\.inventory removed/)
    for (const some of [['platform.write'], [], ['integration.store', 'platform.write']]) {
      const page = await save(some)
      assert.equal(page.status, 422)
      assert.match(page.text, /id="scope-problem"/)
    }
    assert.equal((await stored())?.scope, 'integration.store integration.order')
  })

  const refused = [
    { name: 'no name', changes: { name: '' }, field: 'name', says: /0 characters/ },
    {
      name: 'a website over http',
      changes: { website: 'http://ledger.example' },
      field: 'website',
      says: /is not an https address/,
    },
    {
      name: 'a website that is script',
      changes: { website: 'javascript:alert(1)' },
      field: 'website',
      says: /is not an https address/,
    },
    {
      name: 'a publisher with an invisible character',
      changes: { publisher: 'Led\u200bger' },
      field: 'publisher',
      says: /invisible/,
    },
    {
      name: 'a redirect URI with a fragment',
      changes: { redirect_uris: 'https://ledger.example/#x' },
      field: 'redirect_uri',
      says: /fragment/,
    },
  ]
  for (const { name, changes, field, says } of refused) {
    test(`${name}: 422, said at the field, what was typed kept, nothing saved`, async () => {
      const before = await stored()
      const page = await developer.submit(await developer.open(`${app.path}/edit`), {
        ...edited,
        redirect_uris: 'https://kept.example/cb',
        ...changes,
      })
      assert.equal(page.status, 422)
      const problem = new RegExp(`role="alert" id="${field}-problem">([^<]*)<`).exec(page.text)?.[1] ?? ''
      assert.match(problem, says)
      const [[typed = '']] = [Object.values(changes)]
      assert.ok(wordsOf(page.text.replaceAll('value=', '>')).includes(typed), 'what was typed')
      assert.ok(page.text.includes('Ledger Ltd') || field === 'publisher')
      assert.deepEqual(await stored(), before)
      assert.equal((await developer.submit(page, { ...edited, redirect_uris: '' })).status, 200)
    })
  }

  test('a public app keeps a redirect URI', async () => {
    app = await createApp(developer, { public: 'yes' })
    const page = await developer.submit(await developer.open(`${app.path}/edit`), {
      name: 'Phone',
      redirect_uris: '',
      scope,
    })
    assert.equal(page.status, 422)
    assert.match(page.text, /needs at least one redirect URI/)
  })
})

describe('the connect page', () => {
  const valueOf = (text: string, id: string): string =>
    textOf(new RegExp(`id="${id}">([^<]*)<`).exec(text)?.[1] ?? '')

  test('each view has a link with a state and a challenge of its own, whose verifier is in the command', async () => {
    const views = await Promise.all([1, 2].map(() => developer.open(`${app.path}/connect`)))
    const seen = views.map(({ text }) => {
      const { searchParams: sent } = new URL(valueOf(text, 'link'))
      const verifier = /code_verifier=([\w-]+)/.exec(valueOf(text, 'exchange'))?.[1] ?? ''
      assert.equal(sent.get('code_challenge'), createHash('sha256').update(verifier).digest('base64url'))
      assert.equal(sent.get('code_challenge_method'), 'S256')
      assert.equal(sent.get('state'), valueOf(text, 'state'))
      return [sent.get('state'), verifier]
    })
    assert.equal(new Set(seen.flat()).size, 4)
  })

  test('the fixed link works without state and PKCE; a public app has none', async () => {
    const { text } = await developer.open(`${app.path}/connect`)
    const link = new URL(valueOf(text, 'fixed-link'))
    assert.deepEqual([...link.searchParams.keys()], ['response_type', 'client_id', 'redirect_uri', 'scope'])
    const merchant = new Browser(server.base)
    const consent = await merchant.reachConsent(link.href, 'owner@example.com')
    const answer = await merchant.submit(consent, { decision: 'allow', store: '1001' })
    assert.match(answer.headers.get('location') ?? '', /^https:\/\/app\.example\.com\/cb\?code=/)
    app = await createApp(developer, { public: 'yes' })
    const { text: ofPublic } = await developer.open(`${app.path}/connect`)
    assert.equal(valueOf(ofPublic, 'fixed-link'), '')
    assert.doesNotMatch(ofPublic, /client_secret|clientSecret/)
  })

  test('only a redirect URI of the app is chosen; an app that merchants cannot connect shows no link', async () => {
    const { text } = await developer.open(`${app.path}/connect?redirect_uri=https://evil.example/cb`)
    assert.doesNotMatch(text, /evil/)
    assert.match(valueOf(text, 'link'), /app\.example\.com/)
    for (const [fields, says] of [
      [{ redirect_uris: '' }, /has no redirect URI/],
      [{ scope: 'integration.order' }, /does not have the scope integration\.store/],
    ] as const) {
      const { path } = await createApp(developer, fields)
      const page = await developer.open(`${path}/connect`)
      assert.match(wordsOf(page.text), says)
      assert.equal(valueOf(page.text, 'link'), '')
    }
  })
})

describe('disabling an app', () => {
  const works = async (): Promise<boolean> => {
    const { client_id, client_secret } = app
    const answer = await server.post('/auth/v2/token', clientCredentials({ client_id, client_secret }))
    return answer.status === 200
  }
  const post = async (path: string) =>
    developer.open(path, {
      method: 'POST',
      body: new URLSearchParams({ _csrf: csrfOf(await developer.open(`${appsPath}/new`)) }),
    })

  test('asks first; then no token is given and those it has are refused, until it is enabled again', async () => {
    const token = await server.token(app)
    const question = await developer.open(`${app.path}/disable`)
    assert.match(wordsOf(question.text), /the server rejects those it has/)
    assert.ok(await works(), 'asking changes nothing')
    const page = await developer.submit(question, {})
    assert.match(wordsOf(page.text), /The app is disabled\./)
    assert.match(wordsOf(page.text), /You disabled this app on 1 Nov 2026, 12:00 UTC/)
    assert.match(await shown(appsPath), /Ledger Disabled /)
    assert.equal(await works(), false)
    assert.equal((await server.get('/integration/v1/stores', token)).status, 401)
    const enabled = await developer.submit(page, {})
    assert.match(wordsOf(enabled.text), /The app is enabled\./)
    assert.ok(await works())
    assert.equal((await server.get('/integration/v1/stores', token)).status, 200)
  })

  test('what the operator disabled, the developer cannot enable, also when the developer had disabled it before', async () => {
    for (const first of [false, true]) {
      if (first) await post(`${app.path}/disable`)
      await server.apps.setDisabled(app.client_id, true, byTest)
      const page = await developer.open(app.path)
      assert.match(page.text, /Disabled by the operator/)
      assert.doesNotMatch(page.text, /Enable the app|\/disable"/)
      for (const path of ['enable', 'disable']) {
        const answer = await post(`${app.path}/${path}`)
        assertError('page', answer, 409)
        assert.match(answer.text, /The operator disabled this app/)
      }
      assertError('page', await developer.open(`${app.path}/disable`), 409)
      assert.equal(await works(), false)
      await server.apps.setDisabled(app.client_id, false, byTest)
      assert.ok(await works())
    }
  })

  test('whose session was over when they pressed Enable signs in, and presses it again', async () => {
    await post(`${app.path}/disable`)
    const browser = await signedIn(server, 'dev@example.com')
    const page = await browser.open(app.path)
    browser.cookies.splice(
      browser.cookies.findIndex(({ name }) => name === 'tillgate_session'),
      1,
    )
    const login = await browser.submit(page, {})
    assert.match(login.text, /<h1>Sign in/)
    const back = await browser.submit(login, { email: 'dev@example.com', password })
    assert.match(back.text, /Enable the app/)
  })

  test('sent twice, it says that it is so already', async () => {
    assertError('page', await post(`${app.path}/enable`), 409)
    assert.equal((await post(`${app.path}/disable`)).status, 303)
    const again = await post(`${app.path}/disable`)
    assertError('page', again, 409)
    assert.match(again.text, /already disabled/)
  })
})

describe('what the page shows', () => {
  test('how many merchants and stores are connected, and none by name', async () => {
    assert.match(await shown(app.path), /Connected No stores yet/)
    await decide(server, app, { stores: ['1001', '1002'] })
    const page = await developer.open(app.path)
    assert.match(wordsOf(page.text), /Connected 2 stores of 1 merchant\./)
    assert.doesNotMatch(page.text, /owner@example\.com|Harbour|Mill Lane/)
    const linked = await createApp(developer, { name: 'Linked' })
    await server.apps.authorize(linked.client_id, [1001n], byTest)
    assert.match(await shown(linked.path), /Connected 1 store of 1 merchant, linked by the operator/)
  })

  test('requests, errors and latency: in the list, by hour, by day and by endpoint', async () => {
    const token = await server.token(app)
    await server.get('/integration/v1/stores', token)
    await server.get('/integration/v1/orders?store_id=1', token)
    const list = await shown(appsPath)
    assert.match(list, /integration\.inventory 3 1 1 Nov 2026/)
    const page = await shown(app.path)
    assert.match(page, /Requests 3 last 24 hours Errors 1 33\.33 % of the requests/)
    assert.match(page, /Requests, by hour/)
    assert.match(page, /Latency, by hour/)
    assert.match(
      page,
      /24 points from 13:00 to 12:00 UTC\. Answered: 2 in total, highest 2 \(12:00\)\. Client errors \(4xx\): 1 in total/,
    )
    assert.match(page, /GET \/integration\/v1\/orders 1 1 0 [\d.]+ ms/)
    const month = await shown(`${app.path}?period=30d`)
    assert.match(month, /Requests 3 last 30 days/)
    assert.match(month, /30 points from 3 Oct to 1 Nov\./)
  })

  test('requests of two days ago are in the last 30 days alone', async () => {
    server.clock.advance(-2 * 86_400)
    await server.token(app)
    server.clock.advance(2 * 86_400)
    assert.match(await shown(app.path), /No requests in the last 24 hours\./)
    assert.match(await shown(`${app.path}?period=30d`), /Requests 1 last 30 days/)
  })

  test('another app’s requests are not in it', async () => {
    const theirs = await createApp(other)
    await server.token(theirs)
    assert.match(await shown(app.path), /No requests in the last 24 hours\./)
  })

  test('more apps than a page shows are on further pages', async () => {
    await server.newAccount('many@example.com', 'developer')
    const many = await signedIn(server, 'many@example.com')
    const { id = '' } = (await server.storage.accounts.findByEmail('many@example.com')) ?? {}
    for (let i = 0; i < 51; i++) await server.newApp({ name: `App ${i}`, owner_id: id })
    const first = await many.open(appsPath)
    assert.equal(first.text.match(/class="value"/g)?.length, 50)
    assert.equal(linked(first.text, 'next'), `${appsPath}?page=2`)
    const second = await many.open(`${appsPath}?page=2`)
    assert.equal(second.text.match(/class="value"/g)?.length, 1)
    for (const page of ['0', '-1', 'x', '999999999999999999', '1e3']) {
      assert.equal((await many.open(`${appsPath}?page=${page}`)).status, 200, page)
    }
  })
})

describe('the activity of an app', () => {
  test('shows what changed, who did it and from where', async () => {
    await developer.submit(await developer.open(`${app.path}/edit`), { ...edited, redirect_uris: '' })
    await developer.submit(await developer.open(`${app.path}/rotate`), {})
    await developer.submit(await developer.open(`${app.path}/disable`), {})
    await server.apps.setDisabled(app.client_id, true, byTest)
    const text = await shown(`${app.path}/activity`)
    const mine = 'dev@example.com 127.0.0.1'
    for (const line of [
      `Disabled the app ${mine}`,
      'Disabled the app The operator –',
      `Created a new secret ${mine}`,
      `Changed the name, the website, the publisher, the redirect URIs ${mine}`,
      `Created the app as Ledger ${mine}`,
    ]) {
      assert.ok(text.includes(line), `${line} in ${text}`)
    }
  })

  test('has a sentence for each change of a webhook endpoint', async () => {
    const { storage, clock } = server
    const endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules('') })
    const { id } = await endpoints.create(
      { app_id: app.client_id, url: 'https://hooks.example/in', events: [] },
      byTest,
    )
    await endpoints.setPaused(app.client_id, true, byTest)
    await endpoints.setPaused(app.client_id, false, byTest)
    await endpoints.rotateSecret(id, byTest)
    await endpoints.remove(id, byTest)
    const text = await shown(`${app.path}/activity`)
    for (const line of [
      'Added a webhook endpoint: hooks.example The operator –',
      'Paused the app’s webhooks The operator –',
      'Resumed the app’s webhooks The operator –',
      'Changed a webhook endpoint: hooks.example, new secret The operator –',
      'Deleted a webhook endpoint: hooks.example The operator –',
    ]) {
      assert.ok(text.includes(line), `${line} in ${text}`)
    }
  })

  test('names no merchant and no address of theirs', async () => {
    await decide(server, app, { stores: ['1001', '1002'] })
    await decide(server, app, { decision: 'deny' })
    const merchant = await signedIn(server, 'owner@example.com')
    await merchant.submit(await merchant.open(`/account/apps/${app.client_id}/revoke`), {})
    const page = await developer.open(`${app.path}/activity`)
    const text = wordsOf(page.text)
    assert.ok(text.includes('Allowed the app: 2 stores A merchant –'), text)
    assert.ok(text.includes('Denied the app access A merchant –'), text)
    assert.ok(text.includes('Ended the app’s access: 2 stores A merchant –'), text)
    assert.doesNotMatch(page.text, /owner@example\.com|\b100[12]\b|Harbour/)
  })

  test('an operator on the pages is not taken for a merchant', async () => {
    const ops = await server.storage.accounts.findByEmail('ops@example.com')
    const by = { ...byTest, actor_kind: 'account' as const, actor_id: ops?.id ?? '', actor_name: 'ops' }
    await server.apps.authorize(app.client_id, [1001n], by)
    await server.apps.revoke(app.client_id, null, by)
    const text = await shown(`${app.path}/activity`)
    assert.ok(text.includes('Linked the app: one store The operator –'), text)
    assert.ok(text.includes('Ended the app’s access The operator –'), text)
  })

  test('is paged, newest first', async () => {
    for (let i = 0; i < 55; i++) {
      server.clock.advance(1)
      await server.apps.change(app.client_id, { name: `Name ${i}`, redirect_uris: [] }, byTest)
    }
    const first = await developer.open(`${app.path}/activity`)
    assert.equal(first.text.match(/<time/g)?.length, 50)
    assert.doesNotMatch(first.text, /Created the app/)
    const second = await shown(linked(first.text, 'next') ?? '')
    assert.match(second, /Created the app as Ledger/)
    assert.equal((await developer.open(`${app.path}/activity?before=%27%22`)).status, 200)
  })
})

describe('trying the API', () => {
  const attributeOf = (text: string): string =>
    (/data-configuration="([^"]*)"/.exec(text)?.[1] ?? '').replace(/&#(\d+);/g, (_, code: string) =>
      String.fromCodePoint(Number(code)),
    )
  const configurationOf = (text: string) => JSON.parse(attributeOf(text))
  const flowsOf = (text: string) => configurationOf(text).authentication.securitySchemes.oauth2.flows

  test('opens the reference with the app chosen, and never knows its secret', async () => {
    const { status, text, headers } = await developer.open(`${app.path}/try`)
    assert.equal(status, 200)
    assert.deepEqual(flowsOf(text), {
      clientCredentials: {
        'x-scalar-client-id': app.client_id,
        selectedScopes: ['integration.store', 'integration.order', 'integration.inventory'],
      },
      authorizationCode: { 'x-scalar-ignore': true },
    })
    assert.equal(configurationOf(text).url, `${app.path}/try/openapi.json`)
    assert.ok(!text.includes(app.client_secret))
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-store')
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
    assert.deepEqual(
      scripts.map(([, , inside]) => inside),
      ['', ''],
    )
  })

  test('every request that names a store or a time works as it is filled in', async () => {
    const reader = await createApp(developer, { name: 'Reader' })
    await server.push({ kind: 'store', id: 7001, name: 'Tried', timezone: 'UTC' })
    await server.apps.authorize(reader.client_id, [7001n], byTest)
    const { json } = await developer.open(`${reader.path}/try/openapi.json`)
    const token = await server.token(reader)
    const tried: string[] = []
    for (const [path, { get }] of Object.entries<any>(json.paths)) {
      const given = get?.parameters?.filter(({ example }: any) => example !== undefined) ?? []
      if (!path.startsWith('/integration/') || given.length === 0) continue
      const required = get.parameters.filter((one: any) => one.required && one.example === undefined)
      assert.deepEqual(required, [], path)
      const query = new URLSearchParams(given.map(({ name, example }: any) => [name, String(example)]))
      const { status, text } = await server.get(`${path}?${query}`, token)
      assert.equal(status, 200, `${path}?${query} ${text}`)
      tried.push(path)
    }
    assert.deepEqual(
      tried.sort(),
      ['changes', 'inventory/items', 'inventory/sales', 'orders', 'receipts'].map(
        name => `/integration/v1/${name}`,
      ),
    )
    const other = await developer.open('/openapi.json')
    assert.ok(!other.text.includes('7001'), 'the reference of everybody is as it was')
  })

  test('an app that returns to this server can be allowed from the reference; a public one only so', async () => {
    const back = `${server.base}/docs/`
    const pair = `https://app.example.com/cb\n${back}`
    const confidential = await createApp(developer, { redirect_uris: pair })
    const flows = flowsOf((await developer.open(`${confidential.path}/try`)).text)
    assert.equal(flows.authorizationCode['x-scalar-redirect-uri'], back)
    assert.deepEqual(flows.authorizationCode.selectedScopes, ['integration.store'])
    assert.equal(flows.clientCredentials['x-scalar-client-id'], confidential.client_id)
    const phone = await createApp(developer, { public: 'yes' })
    const page = await developer.open(`${phone.path}/try`)
    assert.deepEqual(flowsOf(page.text).clientCredentials, { 'x-scalar-ignore': true })
    assert.ok(wordsOf(page.text).includes(`add ${back} to its redirect URIs`))
  })

  test('the reference gets a token from this server’s own page, and script of another site gets none', async () => {
    const { client_id, client_secret } = app
    const form = clientCredentials({ client_id, client_secret })
    const asked = (origin: string) => server.post('/auth/v2/token', form, { origin })
    const own = await asked(server.base)
    assert.equal(own.status, 200, own.text)
    for (const origin of ['https://evil.example', 'null', `${server.base}0`]) {
      const other = await asked(origin)
      assert.deepEqual([other.status, other.json.error], [400, 'invalid_request'], origin)
      assert.equal(other.headers.get('access-control-allow-origin'), null)
    }
  })

  test('names and redirect URIs stay what they are', async () => {
    const hostile = await createApp(developer, {
      name: '</script><script>alert(1)</script>',
      redirect_uris: `${server.base}/&quot;,x`,
    })
    const { text } = await developer.open(`${hostile.path}/try`)
    assert.doesNotMatch(text, /<script>/)
    // As Scalar reads it: it takes what looks like an escaped quote for a quote.
    const read = JSON.parse(attributeOf(text).split('&quot;').join('"'))
    const { authorizationCode } = read.authentication.securitySchemes.oauth2.flows
    assert.equal(authorizationCode['x-scalar-redirect-uri'], `${server.base}/&quot;,x`)
  })
})

describe('who may', () => {
  const pages = ['', '/edit', '/disable', '/requests', '/activity', '/try']
  const forms = ['/edit', '/disable', '/enable']

  test('another developer’s app, and one that does not exist, are 404 alike, and nothing changes', async () => {
    const before = await stored()
    for (const path of pages) {
      const theirs = await other.open(app.path + path)
      const nothing = await other.open(`${appsPath}/nothing${path}`)
      assertError('page', theirs, 404)
      const still = (text: string) => text.replace(/name="_csrf" value="[^"]*"/g, '')
      assert.equal(still(theirs.text), still(nothing.text), path)
    }
    for (const path of forms) {
      const token = csrfOf(await other.open(`${appsPath}/new`))
      const body = new URLSearchParams({ _csrf: token, name: 'Stolen' })
      assertError('page', await other.open(app.path + path, { method: 'POST', body }), 404)
    }
    assert.deepEqual(await stored(), before)
  })

  test('strangers sign in first; merchants and operators read whose page it is', async () => {
    for (const path of pages) {
      const answer = await server.get(app.path + path)
      assert.deepEqual(
        [answer.status, answer.headers.get('location')],
        [303, `/login?next=${encodeURIComponent(app.path + path)}`],
      )
    }
    for (const email of ['owner@example.com', 'ops@example.com']) {
      const browser = await signedIn(server, email)
      for (const path of pages) assertError('page', await browser.open(app.path + path), 403)
    }
  })

  test('CSRF: no form is accepted without the token of its own browser', async () => {
    const before = await stored()
    const foreign = csrfOf(await other.open(`${appsPath}/new`))
    for (const path of forms) {
      for (const token of [undefined, '', 'x', foreign]) {
        const body = new URLSearchParams({ name: 'Forged', ...(token !== undefined && { _csrf: token }) })
        assertError('page', await developer.open(app.path + path, { method: 'POST', body }), 403)
      }
    }
    assert.deepEqual(await stored(), before)
  })

  test('script in what is stored is text on every page', async () => {
    const script = '<script>alert(1)</script>"\''
    app = await createApp(developer, { name: script, publisher: script })
    for (const path of pages.filter(path => path !== '/try')) {
      const { text } = await developer.open(app.path + path)
      assertNoInlineCode(text)
      assert.match(text, /&#60;script&#62;alert\(1\)/)
    }
  })
})
