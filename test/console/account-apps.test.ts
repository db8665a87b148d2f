import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, type Client, grant, redirectUri, refresh, type Tokens } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { assertNoInlineCode, textOf } from '../helpers/html.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** /account/apps: a merchant sees, changes and ends their own connections, and nobody else's. */

let server: TestServer
let client: Client
let linked: Client
let tokens: Tokens
let owner: Browser
let other: Browser

const store = (id: number, name: string, timezone: string, merchant: string) => ({
  kind: 'store',
  id,
  name,
  timezone,
  merchant: `${merchant}@example.com`,
})

before(async () => {
  server = await startServer()
  for (const email of ['owner@example.com', 'other@example.com', 'poor@example.com']) {
    await server.newAccount(email)
  }
  await server.newAccount('dev@example.com', 'developer')
  await server.push(
    store(1001, 'Harbour <b>Street</b>', 'Australia/Sydney', 'owner'),
    store(1002, 'Mill Lane', 'Europe/London', 'owner'),
    store(2001, 'Elsewhere', 'Asia/Tokyo', 'other'),
    sampleOrder(),
  )
  client = await server.newApp({
    name: 'Led<script>ger',
    redirect_uris: [redirectUri],
    publisher: 'Sums <i>Ltd</i>',
    website: 'https://ledger.example/',
  })
  tokens = await grant(server, client)
  linked = await server.newApp({ name: 'Delivery Hub' })
  await server.apps.authorize(linked.client_id, [1002n, 2001n], byTest)
  owner = await signedIn('owner')
  other = await signedIn('other')
})

after(() => server.close())

async function signedIn(name: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(`${name}@example.com`)
  return browser
}

const pageOf = ({ client_id }: Client, tail = '') => `/account/apps/${client_id}${tail}`
const page = (tail = '') => pageOf(client, tail)
const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
const alive = async () => (await server.get('/integration/v1/stores', tokens.access_token)).status === 200
const readable = async (app = client) =>
  (await server.get('/integration/v1/stores', await server.token(app))).json.data.map(
    ({ id }: { id: number }) => id,
  )
const orders = (store_id: number) =>
  `/integration/v1/orders?store_id=${store_id}&start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00`

const post = async (browser: Browser, path: string, fields: Record<string, string>) => {
  const csrf = csrfOf(await browser.open('/account/apps'))
  return browser.open(path, { method: 'POST', body: new URLSearchParams({ _csrf: csrf, ...fields }) })
}

describe('the list', () => {
  test('the owner sees the app, since when, its stores, whether activated and what it read, as text', async () => {
    const { status, text } = await owner.open('/account/apps')
    assert.equal(status, 200)
    const words = textOf(text)
    assert.match(words, /Led<script>ger/)
    assert.match(words, /Harbour <b>Street<\/b> Not activated yet/)
    assert.match(words, /Connected since1 Nov 2026, 23:00 Sydney time/)
    assert.match(words, /Last readNever/)
    assert.match(words, /Made bySums <i>Ltd/)
    assertNoInlineCode(text)
    assert.doesNotMatch(text, /<b>|<i>/)
  })

  test('activation and reads are shown, in the store’s time zone', async () => {
    const own = await server.token(client)
    await server.post('/integration/v1/store/1001/activate', {}, { authorization: `Bearer ${own}` })
    server.clock.advance(90 * 60)
    assert.equal((await server.get(orders(1001), own)).json.data.length, 1)
    const words = textOf((await owner.open('/account/apps')).text)
    assert.match(words, /Harbour <b>Street<\/b> Activated/)
    assert.match(words, /Last read2 Nov 2026, 00:30 Sydney time/)
    assert.match(words, /Read in total1 order and 0 items/)
  })

  test('apps that the operator connected are in a list of their own, with this merchant’s stores and no way to revoke', async () => {
    const [, apart = ''] = (await owner.open('/account/apps')).text.split(
      'Connected by your platform’s operator',
    )
    assert.match(apart, /ask the operator/)
    assert.match(apart, /Delivery Hub/)
    assert.match(apart, /Mill Lane/)
    assert.doesNotMatch(apart, /Elsewhere|Revoke access|Ledger/)
  })

  test('a merchant without stores and apps reads what to do', async () => {
    const { text } = await (await signedIn('poor')).open('/account/apps')
    assert.match(text, /No app has access to your stores/)
    assert.match(text, /ask your point-of-sale platform/)
  })
})

test('what an app read is shown by days of most stores’ time zone; of UTC for more than 100 stores, and of the zone of the picked one', async () => {
  await server.newAccount('chain@example.com')
  const stores = Array.from({ length: 101 }, (_, i) =>
    store(5001 + i, `Branch ${i}`, 'Australia/Sydney', 'chain'),
  )
  await server.push(...stores)
  const hub = await server.newApp({ name: 'Chain Hub' })
  await server.apps.authorize(
    hub.client_id,
    stores.slice(1).map(({ id }) => BigInt(id)),
    byTest,
  )
  const chain = await signedIn('chain')
  const title = async (tail = '') =>
    /Read (?:from \S+ \S+ )?in the last 30 days, by day \(([^)]+)\)/.exec(
      textOf((await chain.open(pageOf(hub, tail))).text),
    )?.[1]
  assert.equal(await title(), 'Sydney time')
  await server.apps.authorize(hub.client_id, [5001n], byTest)
  assert.equal(await title(), 'UTC')
  assert.equal(await title('?store=5002'), 'Sydney time')
})

describe('whose it is', () => {
  const tails = ['', '/stores', '/revoke']

  test('another merchant sees nothing of it: their list is without it, and its pages are as those of no app', async () => {
    const { text } = await other.open('/account/apps')
    assert.doesNotMatch(text, /Led(?:<|&#60;)|Harbour|Mill Lane/)
    for (const tail of tails) {
      const theirs = await other.open(page(tail))
      assertError('page', theirs, 404)
      const none = await other.open(`/account/apps/nothing-at-all${tail}`)
      assert.equal(still(theirs), still(none))
    }
    for (const tail of ['/stores', '/revoke']) {
      assertError('page', await post(other, page(tail), { decision: 'save', store: '2001' }), 404)
    }
    assert.ok(await alive())
    assert.deepEqual(await readable(), [1001])
  })

  test('strangers sign in first; a developer reads that the page is for merchants', async () => {
    const developer = await signedIn('dev')
    const paths = ['/account/apps', '/account/activity', '/account/activity/account', ...tails.map(page)]
    for (const path of paths) {
      const answer = await new Browser(server.base).open(path)
      assert.deepEqual(
        [answer.status, answer.headers.get('location')],
        [303, `/login?next=${encodeURIComponent(path)}`],
      )
      assertError('page', await developer.open(path), 403)
    }
  })

  test('what the operator connected can be looked at, and is not the merchant’s to change or end', async () => {
    const { status, text } = await owner.open(pageOf(linked))
    assert.equal(status, 200)
    assert.match(text, /To end that, ask the operator/)
    assert.doesNotMatch(text, /Revoke access|Change stores|Elsewhere/)
    for (const tail of ['/stores', '/revoke']) {
      assertError('page', await owner.open(pageOf(linked, tail)), 404)
      assertError('page', await post(owner, pageOf(linked, tail), { decision: 'save', store: '1001' }), 404)
    }
    assert.deepEqual(await readable(linked), [1002, 2001])
  })

  test('the pages have the headers of every page', async () => {
    for (const path of ['/account/apps', '/account/activity', ...tails.map(page)]) {
      const { headers } = await owner.open(path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
    }
  })
})

/** A page without what differs each time. */
const still = ({ text }: Answer) => text.replace(/name="_csrf" value="[^"]*"/g, '')

describe('CSRF: nothing is changed or ended', () => {
  for (const tail of ['/stores', '/revoke']) {
    for (const [what, token] of [
      ['no token', () => undefined],
      ['garbage', () => 'x'],
      ['a token of another browser', async () => csrfOf(await other.open('/account/apps'))],
    ] as const) {
      test(`by ${tail} with ${what}`, async () => {
        const csrf = await token()
        const fields = { decision: 'save', store: '1002', ...(csrf !== undefined && { _csrf: csrf }) }
        const answer = await owner.open(page(tail), { method: 'POST', body: new URLSearchParams(fields) })
        assertError('page', answer, 403)
        assert.ok(await alive())
        assert.deepEqual(await readable(), [1001])
      })
    }
  }
})

describe('one app', () => {
  test('says who made it, what it may read in plain words, and each store’s times by its own clock', async () => {
    const { text } = await owner.open(page())
    const words = textOf(text)
    assert.match(words, /Made bySums <i>Ltd<\/i>/)
    assert.match(words, /Websiteledger\.example/)
    assert.match(words, /Every order: what was bought/)
    assert.match(words, /Harbour <b>Street<\/b>You1 Nov 2026, 23:00 Sydney time/)
    assert.match(words, /2 Nov 2026, 00:30 Sydney time/)
    assertNoInlineCode(text)
  })

  test('charts what it read by the store’s days; the table has the numbers', async () => {
    const { text } = await owner.open(page())
    assert.match(text, /Read in the last 30 days, by day \(Sydney time\)/)
    const [, today = ''] = /<th[^>]*>2 Nov<\/th>(.*?)<\/tr>/s.exec(text) ?? []
    assert.match(textOf(today), /^ ?1 ?0 ?$/)
  })

  test('a store of somebody else’s, or none, in the address filters nothing and reveals nothing', async () => {
    const all = still(await owner.open(page()))
    for (const wanted of ['2001', '1002', '9', 'x', '', '1001&store=1001']) {
      assert.equal(still(await owner.open(page(`?store=${wanted}`))), all, wanted)
    }
    assert.match(
      (await owner.open(page('?store=1001'))).text,
      /Read from Harbour &#60;b&#62;Street&#60;\/b&#62; in the last 30 days/,
    )
  })
})

describe('changing the stores', () => {
  test('opening the page changes nothing; what is allowed is ticked', async () => {
    const { text } = await owner.open(page('/stores'))
    assert.match(text, /value="1001" checked/)
    assert.doesNotMatch(text, /value="1002" checked|Elsewhere/)
    assert.deepEqual(await readable(), [1001])
  })

  test('holds from the app’s next request on, for its own tokens and for those of the merchant', async () => {
    const own = await server.token(client)
    const saved = await post(owner, page('/stores'), { decision: 'save', store: '1002' })
    assert.deepEqual([saved.status, saved.headers.get('location')], [303, page('?saved=1')])
    assert.match((await owner.open(page('?saved=1'))).text, /role="status"[^>]*>Stores saved/)
    assert.deepEqual(await readable(), [1002])
    assert.equal((await server.get(orders(1001), own)).json.status.errors.code, 'store_forbidden')
    const { json } = await server.get('/integration/v1/stores', tokens.access_token)
    assert.deepEqual(
      json.data.map(({ id }: { id: number }) => id),
      [1002],
      'without a new sign-in at the app',
    )
    assert.match(
      textOf((await owner.open('/account/apps')).text),
      /Last read1 Nov 2026, 13:30 London time/,
      'of a store before',
    )
  })

  for (const ids of [['2001'], ['1001', '2001'], ['x'], ['999']]) {
    test(`with the stores ${ids.join(' and ')} is refused, and nothing changes`, async () => {
      const before = await readable()
      const answer = await owner.submit(await owner.open(page('/stores')), { decision: 'save', store: ids })
      assert.equal(answer.status, 422)
      assert.match(answer.text, /role="alert"/)
      assert.deepEqual(await readable(), before)
    })
  }

  test('All, None and Find decide nothing', async () => {
    const form = await owner.open(page('/stores'))
    const all = await owner.submit(form, { decision: 'all' })
    assert.match(all.text, /value="1001" checked[\s\S]*value="1002" checked/)
    assert.match(all.text, /New for this app/)
    const none = await owner.submit(form, { decision: 'none', store: ['1001'] })
    assert.doesNotMatch(none.text, / checked/)
    assert.deepEqual(await readable(), [1002])
  })

  test('with none leads to the page that ends it all, and ends nothing by itself', async () => {
    const answer = await owner.submit(await owner.open(page('/stores')), { decision: 'save' })
    assert.match(answer.text, /Revoke Led/)
    assert.ok(await alive())
    assert.deepEqual(await readable(), [1002])
  })

  test('is recorded in the audit log; saving the same again is not', async () => {
    const recorded = async () =>
      (await server.storage.audit.list({ action: 'access_changed', limit: 10, scan_limit: 100 })).lines.map(
        ({ actor_name, store_ids, detail }) => [actor_name, store_ids, detail],
      )
    const before = await recorded()
    assert.deepEqual(before, [['owner@example.com', [1002n], '1 added, 1 removed']])
    await post(owner, page('/stores'), { decision: 'save', store: '1002' })
    assert.deepEqual(await recorded(), before)
  })
})

describe('revoking', () => {
  test('the page says what will stop, and opening it ends nothing', async () => {
    const { status, text } = await owner.open(page('/revoke'))
    assert.equal(status, 200)
    const words = textOf(text)
    assert.match(
      words,
      /can no longer read this data from Mill Lane: ?orders, with their items.*items, and how many/,
    )
    assert.doesNotMatch(words, /Some access stays/)
    assert.ok(await alive())
  })

  test('where the operator connected the app too, the page says what stays', async () => {
    await server.apps.authorize(client.client_id, [1001n], byTest)
    assert.match(
      textOf((await owner.open(page('/revoke'))).text),
      /Some access stays ?After you revoke: Led<script>ger can read Harbour <b>Street<\/b>\./,
    )
  })

  test('spec 5.3 rule 3: Revoke access ends the tokens at the next request; what the operator connected stays', async () => {
    const own = await server.token(client)
    const answer = await owner.submit(await owner.open(page('/revoke')), {})
    assert.equal(answer.status, 200)
    assert.match(answer.text, /Access revoked/)
    const stores = await server.get('/integration/v1/stores', tokens.access_token)
    assertError('envelope', stores, 401, 'token_revoked')
    assertError('envelope', await server.get(orders(1002), own), 403, 'store_forbidden')
    assert.deepEqual(await readable(), [1001])
    assertError('oauth', await refresh(server, client, tokens.refresh_token), 400, 'invalid_grant')
    assertError('page', await owner.open(page('/revoke')), 404)
    assertError('page', await owner.open(page('/stores')), 404)
    assertError('page', await post(owner, page('/revoke'), {}), 404)
    assertError('page', await post(owner, page('/stores'), { decision: 'save', store: '1001' }), 404)
    assert.deepEqual(await readable(), [1001], 'a late change brings nothing back')
  })

  test('after it the app is asked about as if for the first time', async () => {
    const consent = await owner.reachConsent(authorizePath(client), 'owner@example.com')
    assert.doesNotMatch(consent.text, /allowed this app before| checked/)
  })

  test('a disabled app is marked, and can be revoked', async () => {
    const off = await server.newApp({ name: 'Loyalty', redirect_uris: [redirectUri] })
    await grant(server, off)
    await server.apps.setDisabled(off.client_id, true, byTest)
    assert.match(textOf((await owner.open('/account/apps')).text), /Loyalty ?Disabled by the operator/)
    await owner.submit(await owner.open(pageOf(off, '/revoke')), {})
    assert.doesNotMatch((await owner.open('/account/apps')).text, /Loyalty/)
  })
})
