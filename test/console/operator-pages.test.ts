import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { byTest } from '../helpers/by.ts'
import { Browser } from '../helpers/browser.ts'
import { assertNoInlineCode, linked, wordsOf } from '../helpers/html.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { routesOf } from '../helpers/routes.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** /operator: who may open the pages, what they list and show, and that nothing in it is taken for markup. */

let server: TestServer
let operator: Browser
const script = '"><script>alert(1)</script>'
/** A value for each parameter of a path. */
let params: Record<string, string>

before(async () => {
  server = await startServer()
  await server.newAccount('ops@example.com', 'operator')
  const merchant = await server.newAccount('owner@example.com')
  const { id: owner_id } = await server.newAccount('dev@example.com', 'developer')
  const { client_id } = await server.newApp({
    name: `Ledger ${script}`,
    publisher: script,
    owner_id,
    redirect_uris: ['https://app.example.com/cb'],
  })
  await server.push(sampleStore({ name: `Harbour ${script}` }), sampleStore({ id: 1002, merchant: null }))
  await server.apps.authorize(client_id, [1001n], byTest)
  params = { account_id: merchant.id, app_id: client_id, store_id: '1001' }
  operator = new Browser(server.base)
  await operator.signIn('ops@example.com')
})

after(() => server.close())

const filled = (path: string): string => path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

const shown = async (path: string): Promise<string> => {
  const answer = await operator.open(path)
  assert.equal(answer.status, 200, answer.text)
  return wordsOf(answer.text)
}

/** Those that the router knows, so that a new one is held to the rules too. */
const pages = () => routesOf(server.app).filter(path => path === '/operator' || path.startsWith('/operator/'))

const forms = [
  '/operator/settings',
  '/operator/settings/brand',
  '/operator/accounts/new',
  '/operator/accounts/:account_id/password-link',
  '/operator/accounts/:account_id/two-factor-off',
  '/operator/apps/:app_id/stores',
  '/operator/accounts/:account_id/disable',
  '/operator/accounts/:account_id/enable',
  '/operator/apps/:app_id/disable',
  '/operator/apps/:app_id/enable',
  '/operator/apps/:app_id/revoke',
  '/operator/apps/:app_id/webhooks/pause',
  '/operator/apps/:app_id/webhooks/resume',
]

describe('who may open them', () => {
  test('there are as many as the router knows', () => {
    assert.ok(pages().length >= 14, pages().join(' '))
  })

  test('a person who is not signed in signs in first, and comes back', async () => {
    for (const path of pages().map(filled)) {
      const answer = await server.get(`${path}?q=x`)
      assert.deepEqual(
        [answer.status, answer.headers.get('location')],
        [303, `/login?next=${encodeURIComponent(`${path}?q=x`)}`],
      )
    }
    const stranger = new Browser(server.base)
    const login = await stranger.follow(await stranger.open('/operator/audit'))
    const arrived = await stranger.submit(login, {
      email: 'ops@example.com',
      password: 'correct horse battery',
    })
    assert.match(arrived.text, /<h1>Audit log<\/h1>/)
  })

  for (const email of ['owner@example.com', 'dev@example.com']) {
    test(`${email} reads that they are not theirs`, async () => {
      const browser = new Browser(server.base)
      await browser.signIn(email)
      for (const path of pages().map(filled)) {
        const answer = await browser.open(path)
        assertError('page', answer, 403)
        assert.match(answer.text, /This page is for operators/)
      }
    })

    test(`${email} changes nothing with a form of their own`, async () => {
      const browser = new Browser(server.base)
      const page = await browser.signIn(email)
      for (const path of forms.map(filled)) {
        const body = new URLSearchParams({ _csrf: csrfOf(page), sign_up: 'on', apps: 'yes' })
        assertError('page', await browser.open(path, { method: 'POST', body }), 403)
      }
      await assertUnchanged()
    })
  }

  test('a form without its token is refused, and changes nothing', async () => {
    for (const path of forms.map(filled)) {
      for (const fields of [{}, { _csrf: 'x' }]) {
        const body = new URLSearchParams({ ...fields, sign_up: 'on', apps: 'yes' })
        const answer = await operator.open(path, { method: 'POST', body })
        assertError('page', answer, 403)
        assert.match(answer.text, /This form is no longer valid/)
      }
    }
    await assertUnchanged()
  })

  test('an operator who is disabled is out at the next request', async () => {
    const account = await server.newAccount('second@example.com', 'operator')
    const browser = new Browser(server.base)
    assert.equal((await browser.signIn('second@example.com')).status, 200)
    await server.accounts.setDisabled(account, true, byTest)
    assert.equal((await browser.open('/operator')).status, 303)
  })

  test('signing in leads here', async () => {
    const answer = await new Browser(server.base).signIn('ops@example.com')
    assert.match(answer.text, /<h1>Overview<\/h1>/)
  })
})

async function assertUnchanged(): Promise<void> {
  const { accounts, apps, switches, browse, webhooks } = server.storage
  assert.equal((await accounts.findByEmail('owner@example.com'))?.disabled_at, null)
  assert.equal((await apps.find(params['app_id'] ?? ''))?.disabled_at, null)
  assert.deepEqual(await browse.reachOf(params['app_id'] ?? ''), {
    stores: 1,
    owners: 1,
    merchants: 0,
    linked: true,
  })
  assert.equal(await switches.isOn('sign_up'), false)
  assert.equal(await webhooks.isPaused(params['app_id'] ?? ''), false)
}

describe('what they are made of', () => {
  test('no page has markup or script from a name, and every one is an ordinary page', async () => {
    for (const path of pages().filter(path => !/\/(export|order)$/.test(path))) {
      const answer = await operator.open(filled(path))
      assert.equal(answer.status, 200, `${path} ${answer.text}`)
      assertNoInlineCode(answer.text)
      assert.match(answer.headers.get('content-security-policy') ?? '', /script-src 'self'/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.text.match(/<h1/g)?.length, 1, path)
    }
    const searched = await operator.open(`/operator/accounts?q=${encodeURIComponent(script)}`)
    assertNoInlineCode(searched.text)
    assert.match(searched.text, /value="&#34;&#62;&#60;script&#62;/)
    for (const path of ['stores?app=', 'audit?app=', 'audit?account=', 'audit?before=', 'audit?q=']) {
      const answer = await operator.open(`/operator/${path}${encodeURIComponent(script)}`)
      assert.equal(answer.status, 200, path)
      assertNoInlineCode(answer.text)
    }
  })

  const missing = [
    '/operator/accounts/nobody',
    '/operator/accounts/nobody/disable',
    '/operator/apps/nothing',
    '/operator/apps/nothing/revoke',
    '/operator/stores/1',
    '/operator/stores/01001',
    '/operator/stores/x',
    '/operator/stores/99999999999999999999',
  ]
  for (const path of missing) {
    test(`${path} is a page that says that there is none`, async () => {
      const answer = await operator.open(path)
      assertError('page', answer, 404)
      assert.match(answer.text, /(Account|App|Store) not found/)
    })
  }

  test('parameters that make no sense are as good as none', async () => {
    for (const query of ['page=0', 'page=-1', 'page=1e9', 'page=x', 'page=1&page=2', 'q=a&q=b', 'q[x]=1']) {
      assert.match(await shown(`/operator/accounts?${query}`), /owner@example\.com/, query)
    }
    assert.match(await shown('/operator/audit?action=nothing&action=x'), /created the operator account/)
    assert.match(await shown('/operator?period=10y'), /last 24 hours/)
  })
})

describe('lists', () => {
  test('accounts: by email, with role and state; found by a part of it', async () => {
    const all = await shown('/operator/accounts')
    assert.ok(all.indexOf('dev@example.com') < all.indexOf('owner@example.com'))
    const found = await shown('/operator/accounts?q=OWNER')
    assert.match(found, /owner@example\.com merchant Enabled/)
    assert.doesNotMatch(found, /dev@example\.com/)
    assert.match(await shown('/operator/accounts?q=zzz'), /No accounts found/)
  })

  test('apps: found by name, client_id and developer', async () => {
    const id = params['app_id'] ?? ''
    for (const q of ['ledger', id, 'dev@']) {
      const found = await shown(`/operator/apps?q=${encodeURIComponent(q)}`)
      assert.ok(found.includes(id) && found.includes('dev@example.com'), q)
    }
    assert.match(await shown('/operator/apps?q=zzz'), /No apps found/)
  })

  test('stores: found by name, id and merchant, and by the app that reads them', async () => {
    for (const q of ['harbour', '1001', 'owner@']) {
      assert.match(await shown(`/operator/stores?q=${q}`), /1001 owner@example\.com Australia\/Sydney/)
    }
    assert.match(await shown('/operator/stores'), /1002 none/)
    const ofApp = await shown(`/operator/stores?app=${params['app_id']}`)
    assert.match(ofApp, /Only stores that Ledger .* can read now/)
    assert.match(ofApp, /1001/)
    assert.doesNotMatch(ofApp, /\b1002\b/)
    assert.match(await shown('/operator/stores?app=nothing'), /No stores found/)
  })

  test('fifty to a page; the ways keep the search; a page beyond the end is the last', async () => {
    await server.push(
      ...Array.from({ length: 120 }, (_, i) =>
        sampleStore({ id: 5000 + i, name: `Row ${i}`, merchant: null }),
      ),
    )
    const first = await operator.open('/operator/stores?q=Row')
    assert.match(wordsOf(first.text), /1–50 of 120/)
    assert.equal(linked(first.text, 'next'), '/operator/stores?q=Row&page=2')
    assert.equal(linked(first.text, 'prev'), undefined)
    const second = await operator.open('/operator/stores?q=Row&page=2')
    assert.match(wordsOf(second.text), /Row 50 5050/)
    assert.equal(linked(second.text, 'prev'), '/operator/stores?q=Row')
    for (const page of ['3', '999']) {
      const last = wordsOf((await operator.open(`/operator/stores?q=Row&page=${page}`)).text)
      assert.match(last, /101–120 of 120/)
      assert.match(last, /Row 119/)
    }
    assert.equal(linked((await operator.open('/operator/stores?q=Row&page=3')).text, 'next'), undefined)
  })
})

describe('the overview', () => {
  test('counts what is there, what was asked and what was sent', async t => {
    const own = await startServer()
    t.after(() => own.close())
    await own.newAccount('ops@example.com', 'operator')
    const browser = new Browser(own.base)
    await browser.signIn('ops@example.com')
    const empty = wordsOf((await browser.open('/operator')).text)
    assert.match(
      empty,
      /Requests 0 last 24 hours Errors 0 % 0 client errors, 0 server errors Latency – no requests/,
    )
    assert.match(empty, /Ingest lag – no batch yet Stores 0 Apps 0 none disabled Accounts 1/)
    assert.match(empty, /No requests in the last 24 hours/)
    assert.match(empty, /Newest change None yet/)

    const till = await own.newApp({ name: 'Till', scope: 'platform.write' })
    const reader = await own.newApp({ name: 'Reader' })
    const other = await own.newApp({ name: 'Sleeper' })
    await own.apps.setDisabled(other.client_id, true, byTest)
    const push = async (...records: object[]) =>
      fetch(`${own.base}/platform/v1/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await own.token(till)}`, 'content-type': 'application/x-ndjson' },
        body: records.map(record => JSON.stringify(record)).join('\n'),
      })
    const updated_at = '2026-11-01 11:59:18' // 42 seconds before the clock
    assert.equal((await push(sampleStore(), sampleItem(), sampleOrder({ updated_at }))).status, 200)
    await own.apps.authorize(reader.client_id, [1001n], byTest)
    const token = await own.token(reader)
    for (const store_id of [1001, 1001, 7]) {
      await own.get(`/integration/v1/inventory/items?store_id=${store_id}&index=0&count=10`, token)
    }
    own.clock.advance(600)

    const page = wordsOf((await browser.open('/operator')).text)
    // The tokens are requests too: two of them.
    assert.match(page, /Requests 6 last 24 hours Errors 17 % 1 client error, 0 server errors/)
    assert.match(page, /Ingest lag 42 s last batch 10 min ago/)
    assert.match(page, /Stores 1 Apps 3 1 disabled Accounts 1 0 merchants, 0 developers, 1 operator/)
    assert.match(page, /Database [\d.]+ [KM]B (SQLite|PostgreSQL) \d/)
    assert.match(page, /Batches 1, with 1 order, 1 item, 1 store; 0 records unchanged/)
    assert.match(page, /Lag last 42 s, average 42 s, maximum 42 s/)
    // The item was stored first.
    assert.match(
      page,
      /Newest change seq 1793534400000001, stored 10 min ago Waiting requests 0 in this process/,
    )
    assert.match(page, /GET \/integration\/v1\/inventory\/items 3 1 0/)
    assert.match(page, /Apps with the most requests .*Reader 4 1 0 .*Till 2 0 0/)
    assert.match(
      page,
      /Versions Tillgate 0\.\d+\.\d+ Database (SQLite|PostgreSQL) [\d.]+, schema \d+ Node 2\d\./,
    )

    own.clock.advance(3 * 86_400)
    const later = wordsOf((await browser.open('/login')).text)
    assert.match(later, /Sign in/, 'the session is over')
    await browser.signIn('ops@example.com')
    assert.match(
      wordsOf((await browser.open('/operator')).text),
      /Requests 0 .*Ingest lag – last batch 3 days ago/,
    )
    const month = wordsOf((await browser.open('/operator?period=30d')).text)
    assert.match(month, /Requests 6 last 30 days .*Ingest lag 42 s/)
    // A batch that changes nothing is no change; one that changes an item is the newest.
    await push(sampleItem())
    const same = wordsOf((await browser.open('/operator')).text)
    assert.match(same, /Last batch 4 Nov 2026, 12:10 UTC , 0 s ago/)
    assert.match(same, /Newest change seq 1793534400000001, stored 3 days ago/)
    await push(sampleItem({ name: 'Other', updated_at: '2026-11-03 00:00:00' }))
    assert.match(
      wordsOf((await browser.open('/operator')).text),
      /Newest change seq 1793794200000000, stored 0 s ago/,
    )
    // An import is in no figures, and its changes are known when no batch came for long.
    own.clock.advance(40 * 86_400)
    await own.push(sampleItem({ name: 'Imported', updated_at: '2026-12-01 00:00:00' }))
    own.clock.advance(60)
    await browser.signIn('ops@example.com')
    assert.match(wordsOf((await browser.open('/operator')).text), /Newest change seq \d+, stored 60 s ago/)
  })
})

describe('a store', () => {
  test('whose it is, what happened last, who reads it and how much', async () => {
    await server.push(sampleItem(), sampleOrder())
    const { client_id, client_secret } = await server.newApp({ name: 'Counter' })
    await server.apps.authorize(client_id, [1001n], byTest)
    const token = await server.token({ client_id, client_secret })
    const items = '/integration/v1/inventory/items?store_id=1001&index=0&count=10'
    assert.equal((await server.get(items, token)).status, 200)
    const page = await shown('/operator/stores/1001')
    assert.match(page, /Id 1001 Merchant owner@example\.com/)
    assert.match(page, /Time zone Australia\/Sydney, now 1 Nov 2026, 23:00 Sydney time/)
    assert.match(page, /Newest order 1 Nov 2026, 09:30 UTC Last order update 1 Nov 2026, 09:31 UTC/)
    assert.match(page, /Counter command line 1 Nov 2026 not yet 1 Nov 2026, 12:00 UTC/)
    assert.match(page, /Ledger .* command line 1 Nov 2026 not yet never/)
    const { feed, next } = (await server.get('/integration/v1/changes?store_id=1001', token)).json.data
    assert.ok(page.includes(`Newest change seq ${next}, stored 0 s ago Feed ${feed}`), page)
    const bare = await shown('/operator/stores/1002')
    assert.ok(bare.includes(`Newest change none yet Feed ${feed}`), bare)
    assert.match(bare, /Merchant None, so nobody can allow an app to read it/)
    assert.match(bare, /Newest order none yet/)
    assert.match(bare, /Apps that can read it None/)
    assert.match(bare, /Nothing was read in the last 30 days/)
  })
})
