import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, challenge, codeOf, redeem, redirectUri, verifier } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { textOf, wordsOf } from '../helpers/html.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** What the merchant's pages say about an app's access is what the API gives the app, for every kind of connection. */

let server: TestServer
let owner: Browser

const names = new Map([
  [1001, 'Harbour Street'],
  [1002, 'Mill Lane'],
])
const all = [...names.keys()]
const subsets = [[], [1001], [1002], [1001, 1002]]

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  for (const [id, name] of names) {
    await server.push({
      kind: 'store',
      id,
      name,
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
    })
  }
  owner = new Browser(server.base)
  await owner.signIn('owner@example.com')
})

after(() => server.close())

type App = Awaited<ReturnType<TestServer['newApp']>>
interface Token {
  app: App
  access_token: string | undefined
}

const orders = 'integration.store integration.order integration.inventory'
const kinds = {
  confidential: { public: false, scope: orders },
  'for stores alone': { public: false, scope: 'integration.store' },
  public: { public: true, scope: 'integration.store' },
}

/** Connects an app by consent to the first stores, and by the operator to the second. */
async function connect(kind: keyof typeof kinds, own: number[], linked: number[]): Promise<Token> {
  const app = await server.newApp({ name: 'Ledger', redirect_uris: [redirectUri], ...kinds[kind] })
  if (linked.length > 0) await server.apps.authorize(app.client_id, linked.map(BigInt), byTest)
  if (own.length === 0) return { app, access_token: undefined }
  const changes = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await codeOf(server, app, { stores: own.map(String), changes })
  const secret = app.app.public ? undefined : app.client_secret
  const client = { client_id: app.client_id, client_secret: secret as string }
  const { json } = await redeem(server, client, code, { code_verifier: verifier })
  return { app, access_token: json.access_token }
}

/** The stores that the API gives the app by any of its tokens; each way of reading agrees on it. */
async function readable({ app, access_token }: Token): Promise<number[]> {
  const listed = async (token: string): Promise<number[]> => {
    const { status, json } = await server.get('/integration/v1/stores', token)
    return status === 200 ? json.data.map(({ id }: { id: number }) => id) : []
  }
  const found = new Set(access_token === undefined ? [] : await listed(access_token))
  if (!app.app.public && (await server.apps.find(app.client_id))?.disabled_at === null) {
    const token = await server.token(app)
    for (const id of await listed(token)) found.add(id)
    for (const id of app.app.scope.includes('order') ? all : []) {
      const { status } = await server.get(
        `/integration/v1/orders?store_id=${id}&start_date=2026-11-01+00:00:00&end_date=2026-11-01+01:00:00`,
        token,
      )
      assert.equal(status === 200, found.has(id), `orders of ${id}`)
    }
  }
  return [...found].sort()
}

/** The stores that a sentence names: "can read Harbour Street and Mill Lane." */
const named = (text: string): number[] => all.filter(id => text.includes(names.get(id) ?? ''))

/** The sentence about what the app can read now. */
function stated(text: string): number[] {
  const [, stores] =
    /Ledger can(?: read ([^.]*)|not read any of your stores)\./.exec(text) ?? assert.fail(text)
  return named(stores ?? '')
}

const pageOf = ({ app }: Token, tail = '') => `/account/apps/${app.client_id}${tail}`

/** The list's card of an app that the merchant allowed and the operator connected states both together. */
const cardOf = ({ text }: Answer, { app }: Token) =>
  textOf(text.split('<section class="card">').find(card => card.includes(`id="own-${app.client_id}"`)) ?? '')

for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
  describe(`an app that is ${kind}`, () => {
    for (const own of subsets) {
      for (const linked of subsets) {
        test(`allowed [${own}] by the merchant, [${linked}] by the operator`, async () => {
          const token = await connect(kind, own, linked)
          const before = await readable(token)
          const page = await owner.open(pageOf(token))
          if (before.length === 0) assert.equal(page.status, 404)
          else assert.deepEqual(stated(textOf(page.text)), before, 'the app’s page')
          if (own.length === 0) return
          const card = cardOf(await owner.open('/account/apps'), token)
          if (card.includes('operator connected it too')) assert.deepEqual(stated(card), before, 'the list')
          else assert.deepEqual(named(card), before, 'the list')
          await unticking(token, own)
          await revoking(token, before)
        })
      }
    }
  })
}

/** The page for changing stores says of each store what happens when it is unticked. */
async function unticking(token: Token, own: number[]): Promise<void> {
  const form = await owner.open(pageOf(token, '/stores'))
  const [, ...boxes] = form.text.split('name="store" value="')
  const hints = new Map(boxes.map(box => [Number.parseInt(box, 10), wordsOf(box.split('</li>')[0] ?? '')]))
  for (const id of own) {
    const rest = own.filter(other => other !== id)
    const staysReadable = /can read this store anyway/.test(hints.get(id) ?? '')
    assert.equal(staysReadable, !/Loses access/.test(hints.get(id) ?? ''))
    if (rest.length === 0) continue
    const saved = await owner.submit(form, { decision: 'save', store: rest.map(String) })
    const after = await readable(token)
    assert.equal(after.includes(id), staysReadable, `${id} after unticking it`)
    const [, notice = ''] = /role="status"[^>]*>(.*?)<\/div>/s.exec(saved.text) ?? []
    assert.deepEqual(stated(textOf(notice)), after, 'the notice')
    await owner.submit(form, { decision: 'save', store: own.map(String) })
  }
}

/** The page before, and the notice after, name what ends and what stays. */
async function revoking(token: Token, before: number[]): Promise<void> {
  const form = await owner.open(pageOf(token, '/revoke'))
  const words = textOf(form.text)
  const [, ending = ''] = /can no longer read this data from ([^:]*):/.exec(words) ?? []
  const staying = words.includes('After you revoke:') ? stated(words) : []
  const list = await owner.submit(form, {})
  const after = await readable(token)
  assert.deepEqual(staying, after, 'what stays')
  assert.deepEqual(
    named(ending),
    before.filter(id => !after.includes(id)),
    'what ends',
  )
  const [, notice = ''] = /<div class="notice [a-z]+"[^>]*>(.*?)<\/div>/s.exec(list.text) ?? []
  if (after.length === 0) assert.match(textOf(notice), /The app can no longer read your stores/)
  else assert.deepEqual(stated(textOf(notice)), after, 'the notice')
}

test('a disabled app reads nothing now; the pages say what it reads once it is enabled', async () => {
  const token = await connect('confidential', [1001], [1002])
  await server.apps.setDisabled(token.app.client_id, true, byTest)
  assert.deepEqual(await readable(token), [])
  const words = textOf((await owner.open(pageOf(token))).text)
  assert.match(
    words,
    /cannot read anything now\. When it is enabled again, it can read Harbour Street and Mill/,
  )
  const form = await owner.open(pageOf(token, '/revoke'))
  assert.match(textOf(form.text), /it cannot read this data from Harbour Street:/)
  const list = textOf((await owner.submit(form, {})).text)
  assert.match(list, /cannot read anything now\. When it is enabled again, it can read Mill Lane\./)
  await server.apps.setDisabled(token.app.client_id, false, byTest)
  assert.deepEqual(await readable(token), [1002])
})

test('an authorization that covers no store any more promises nothing', async () => {
  const token = await connect('confidential', [1001], [])
  await server.apps.revoke(token.app.client_id, [1001n], byTest)
  assert.deepEqual(await readable(token), [])
  assert.deepEqual(stated(textOf((await owner.open(pageOf(token))).text)), [])
  assert.match(textOf((await owner.open(pageOf(token, '/revoke'))).text), /It covers none of your stores/)
})

describe('an app that got a scope later', () => {
  const ordersStatus = async ({ app }: Token, id: number) =>
    (
      await server.get(
        `/integration/v1/orders?store_id=${id}&start_date=2026-11-01+00:00:00&end_date=2026-11-01+01:00:00`,
        await server.token(app),
      )
    ).status
  const addOrders = ({ app }: Token) =>
    server.apps.change(
      app.client_id,
      { name: 'Ledger', redirect_uris: [redirectUri], scope: 'integration.store integration.order' },
      byTest,
    )

  test('its page says what it asks for, and of which stores it reads what', async () => {
    const token = await connect('for stores alone', all, [])
    assert.doesNotMatch(textOf((await owner.open(pageOf(token))).text), /asks for more|only of|Every order/)
    await addOrders(token)
    await server.apps.authorize(token.app.client_id, [1002n], byTest)
    assert.deepEqual([await ordersStatus(token, 1001), await ordersStatus(token, 1002)], [403, 200])
    const words = textOf((await owner.open(pageOf(token))).text)
    assert.match(
      words,
      /Ledger asks for more than you allowed.*Every order.*Until you do, your permission covers only/,
    )
    assert.match(words, /Every order[^(]*\(only of Mill Lane\)/)
    assert.doesNotMatch(words, /time zones of the stores \(only/)
    assert.match(cardOf(await owner.open('/account/apps'), token), /Asks for more/)

    const consent = await owner.reachConsent(authorizePath(token.app), 'owner@example.com')
    await owner.submit(consent, { decision: 'allow', store: all.map(String) })
    assert.equal(await ordersStatus(token, 1001), 200)
    const after = textOf((await owner.open(pageOf(token))).text)
    assert.match(after, /Every order/)
    assert.doesNotMatch(after, /asks for more|only of/)
  })

  test('one that has lost the scopes it was connected with reads nothing, and the pages say so', async () => {
    const token = await connect('for stores alone', [1001], [1002])
    const name = 'Ledger'
    const scope = 'integration.order'
    await server.apps.change(token.app.client_id, { name, redirect_uris: [redirectUri], scope }, byTest)
    assert.deepEqual(await readable(token), [])
    assert.deepEqual([await ordersStatus(token, 1001), await ordersStatus(token, 1002)], [403, 403])
    assert.deepEqual(stated(textOf((await owner.open(pageOf(token))).text)), [])
    assert.match(cardOf(await owner.open('/account/apps'), token), /None of your stores/)
  })

  test('revoking names what ends where the operator’s link covers a part', async () => {
    const token = await connect('for stores alone', [], all)
    await addOrders(token)
    const consent = await owner.reachConsent(authorizePath(token.app), 'owner@example.com')
    await owner.submit(consent, { decision: 'allow', store: '1001' })
    assert.deepEqual([await ordersStatus(token, 1001), await ordersStatus(token, 1002)], [200, 403])
    const form = await owner.open(pageOf(token, '/revoke'))
    assert.match(textOf(form.text), /can no longer read this data from Harbour Street: *orders, with/)
    assert.doesNotMatch(textOf(form.text), /store names and time zones/)
    await owner.submit(form, {})
    assert.equal(await ordersStatus(token, 1001), 403)
    assert.deepEqual(await readable(token), all)
  })
})

test('the consent page names what the app can read now, by both kinds of connection', async () => {
  for (const linked of subsets) {
    const token = await connect('confidential', [1001], linked)
    const words = textOf((await owner.reachConsent(authorizePath(token.app), 'owner@example.com')).text)
    const [, now = ''] = /It can read ([^.]*) now\./.exec(words) ?? []
    assert.deepEqual(named(now), await readable(token), String(linked))
  }
})
