import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { byAccount } from '../../src/domain/audit/audit.ts'
import type { Account } from '../../src/storage/port/index.ts'
import { type Client, decide, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { assertNoInlineCode, textOf } from '../helpers/html.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** /account/activity: who read what of the merchant's stores and when, and what was done with the account. */

let server: TestServer
let ledger: Client
let hub: Client
let owner: Browser
let other: Browser

const path = '/account/activity'
const hour = 3600

before(async () => {
  server = await startServer()
  for (const name of ['owner', 'other', 'op']) {
    await server.newAccount(`${name}@example.com`, name === 'op' ? 'operator' : 'merchant')
  }
  await server.push(
    sampleStore({ name: 'Harbour <b>Street</b>' }),
    sampleStore({ id: 1002, name: 'Mill Lane', timezone: 'Europe/London' }),
    sampleStore({ id: 2001, name: 'Elsewhere', merchant: 'other@example.com' }),
    sampleOrder(),
    sampleItem(),
    sampleItem({ id: 13 }),
  )
  ledger = await server.newApp({ name: 'Led<script>ger', redirect_uris: [redirectUri] })
  hub = await server.newApp({ name: 'Delivery Hub' })
  await server.apps.authorize(hub.client_id, [1002n, 2001n], byTest)
  await decide(server, ledger, { stores: ['1001', '1002'] })
  await decide(server, ledger, { email: 'other@example.com', stores: ['2001'] })
  owner = await signedIn('owner')
  other = await signedIn('other')
})

after(() => server.close())

async function signedIn(name: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(`${name}@example.com`)
  return browser
}

const read = async (client: Client, kind: 'orders' | 'inventory/items', store_id: number) => {
  const window = kind === 'orders' ? '&start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00' : ''
  const answer = await server.get(
    `/integration/v1/${kind}?store_id=${store_id}${window}`,
    await server.token(client),
  )
  assert.equal(answer.status, 200, answer.text)
}

/** The cells of the page's table, as text. */
const rowsOf = ({ text }: Answer) =>
  [...(/<tbody[^>]*>(.*)<\/tbody>/s.exec(text)?.[1] ?? '').matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => textOf(cell).trim()),
  )

const hrefOf = ({ text }: Answer, label: string) =>
  textOf(new RegExp(`href="([^"]*)">${label}<`).exec(text)?.[1] ?? '')

describe('what apps read', () => {
  test('before anything was read, the page says what will be here', async () => {
    const { status, text } = await owner.open(path)
    assert.equal(status, 200)
    assert.match(text, /No app has read your stores recently/)
  })

  test('a row for each app, store and hour, newest first, by the store’s own clock, of own stores alone', async () => {
    await read(ledger, 'orders', 1001)
    await read(ledger, 'inventory/items', 1001)
    await read(ledger, 'orders', 2001)
    server.clock.advance(hour)
    await read(ledger, 'orders', 1002)
    await read(hub, 'orders', 1002)
    await read(hub, 'orders', 2001)
    const page = await owner.open(path)
    const rows = rowsOf(page)
    assert.deepEqual(
      rows.toSorted(),
      [
        ['1 Nov 2026, 13:00 London time', 'Delivery Hub', 'Mill Lane', 'Nothing new', '1'],
        ['1 Nov 2026, 13:00 London time', 'Led<script>ger', 'Mill Lane', 'Nothing new', '1'],
        ['1 Nov 2026, 23:00 Sydney time', 'Led<script>ger', 'Harbour <b>Street</b>', '1 order, 2 items', '2'],
      ].toSorted(),
    )
    assert.equal(rows.at(-1)?.[2], 'Harbour <b>Street</b>', 'the oldest comes last')
    assertNoInlineCode(page.text)
    assert.doesNotMatch(page.text, /Elsewhere/)
    const theirs = rowsOf(await other.open(path))
    assert.deepEqual(
      theirs.map(([, , store]) => store),
      ['Elsewhere', 'Elsewhere'],
    )
  })

  test('is narrowed by app and by store; what is not the merchant’s narrows nothing', async () => {
    const shown = async (query: string) => rowsOf(await owner.open(`${path}?${query}`)).length
    assert.equal(await shown(`app=${hub.client_id}`), 1)
    assert.equal(await shown('store=1001'), 1)
    assert.equal(await shown('store=1002'), 2)
    assert.equal(await shown(`store=1001&app=${hub.client_id}`), 0)
    for (const query of ['store=2001', 'store=x', 'app=nobody', 'after=x', 'after=1.2', 'store=1&store=2']) {
      assert.equal(await shown(query), 3, query)
    }
  })

  test('an app that is no longer connected stays in what was read', async () => {
    await owner.submit(await owner.open(`/account/apps/${ledger.client_id}/revoke`), {})
    const rows = rowsOf(await owner.open(path))
    assert.equal(rows.filter(([, app]) => app === 'Led<script>ger').length, 2)
  })

  test('what was read of a store that was sold is seen by neither merchant, on no page', async () => {
    await server.push(sampleStore({ id: 1003, name: 'Pier', merchant: 'other@example.com' }))
    await server.apps.authorize(hub.client_id, [1003n], byTest)
    await read(hub, 'orders', 1003)
    assert.match((await other.open(path)).text, /Pier/)
    await server.push(sampleStore({ id: 1003, name: 'Pier', merchant: 'owner@example.com' }))
    assert.doesNotMatch((await other.open(path)).text, /Pier/)
    assert.deepEqual(
      rowsOf(await owner.open(path)).filter(row => row.join().includes('Pier')),
      [],
    )
    const hubPage = await owner.open(`/account/apps/${hub.client_id}`)
    const pier = rowsOf(hubPage).find(row => row.join().includes('Pier'))
    assert.match(String(pier), /Never/)
    await read(hub, 'orders', 1003)
    assert.equal(rowsOf(await owner.open(path)).filter(row => row.join().includes('Pier')).length, 1)
  })

  test('page by page: every row once, and back to the newest', async () => {
    for (let i = 0; i < 30; i++) {
      server.clock.advance(hour)
      await read(hub, 'orders', 1002)
      await read(hub, 'orders', 2001)
    }
    // Sessions last half a day.
    owner = await signedIn('owner')
    other = await signedIn('other')
    const first = await owner.open(path)
    const second = await owner.open(hrefOf(first, 'Older'))
    const rows = [...rowsOf(first), ...rowsOf(second)]
    assert.deepEqual([rowsOf(first).length, rows.length], [25, 34])
    assert.equal(new Set(rows.map(row => row.join('|'))).size, 34)
    assert.equal(hrefOf(second, 'Older'), '')
    assert.equal(hrefOf(second, 'Newest'), path)
    const filtered = await owner.open(`${path}?app=${hub.client_id}&store=1002`)
    const further = await owner.open(hrefOf(filtered, 'Older'))
    assert.equal(rowsOf(further).length, 6)
    assert.equal(hrefOf(further, 'Newest'), `${path}?app=${hub.client_id}&store=1002`)
  })

  test('a place in another’s list gives nothing of theirs', async () => {
    const theirs = hrefOf(await other.open(path), 'Older')
    assert.notEqual(theirs, '')
    const { text } = await owner.open(theirs)
    assert.doesNotMatch(text, /Elsewhere/)
  })
})

describe('what was done with the account', () => {
  const events = `${path}/account`

  test('sign-ins from where, refused ones, consents and revocations, in words, newest first', async () => {
    const stranger = new Browser(server.base)
    await stranger.signIn('owner@example.com', 'not the password')
    const page = await owner.open(events)
    const rows = rowsOf(page).map(([, who, what, from]) => [who, what, from])
    const here = '127.0.0.1'
    assert.deepEqual(rows, [
      ['Someone who was not signed in', 'failed to sign in as owner@example.com', here],
      ['You', 'signed in', here],
      [
        'You',
        'ended the access of the app Led<script>ger to the stores Harbour <b>Street</b> and Mill Lane',
        here,
      ],
      ['You', 'signed in', here],
      ['You', 'allowed the app Led<script>ger to read the stores Harbour <b>Street</b> and Mill Lane', here],
      ['You', 'signed in', here],
      ['The platform’s operator', 'created the merchant account owner@example.com', '–'],
    ])
    assert.match(page.text, /When <small class="muted">Sydney time/)
    assertNoInlineCode(page.text)
  })

  test('nothing of anybody else’s, and no operator is named', async () => {
    const account = (await server.accounts.findByEmail('owner@example.com')) as Account
    const op = (await server.accounts.findByEmail('op@example.com')) as Account
    const by = byAccount(op, { address: '192.0.2.7', request_id: 'r' })
    await server.accounts.setDisabled(account, true, by)
    await server.accounts.setDisabled(account, false, by)
    owner = await signedIn('owner')
    const { text } = await owner.open(events)
    assert.match(textOf(text), /The platform’s operator ?disabled the account owner@example\.com/)
    assert.doesNotMatch(text, /op@example\.com|192\.0\.2\.7|other@example\.com|Elsewhere/)
    const theirs = textOf((await other.open(events)).text)
    assert.doesNotMatch(theirs, /owner@example\.com|Harbour/)
  })

  test('page by page', async () => {
    for (let i = 0; i < 25; i++) await signedIn('owner')
    const first = await owner.open(events)
    const second = await owner.open(hrefOf(first, 'Older'))
    assert.equal(rowsOf(first).length, 25)
    assert.match(textOf(second.text), /created the merchant account/)
    assert.equal(hrefOf(second, 'Newest'), events)
    for (const before of ['x', '../..', '%00', "' or 1=1"]) {
      assert.equal((await owner.open(`${events}?before=${before}`)).status, 200)
    }
  })
})
