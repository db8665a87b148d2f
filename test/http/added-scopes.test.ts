import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, codeOf, decide, grant, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { textOf } from '../helpers/html.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { clientCredentials } from '../helpers/token.ts'

/** Scopes that an app gets or loses after merchants have connected it. */

let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  for (const id of [1001, 1002]) {
    await server.push(
      sampleStore({ id, name: `Shop ${id}` }),
      sampleOrder({ id: `order-${id}`, store_id: id }),
      sampleItem({ store_id: id }),
    )
  }
})

after(() => server.close())

type Client = Awaited<ReturnType<TestServer['newApp']>>

const [store, order, inventory] = ['integration.store', 'integration.order', 'integration.inventory']
const newApp = (scope: string) => server.newApp({ redirect_uris: [redirectUri], scope })

async function setScope({ client_id, app }: Client, scope: string): Promise<void> {
  const { name, redirect_uris } = app
  await server.apps.change(client_id, { name, redirect_uris, scope }, byTest)
}

const ordersOf = (id: number, token: string): Promise<Answer> =>
  server.get(
    `/integration/v1/orders?store_id=${id}&start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00`,
    token,
  )
const itemsOf = (id: number, token: string) =>
  server.get(`/integration/v1/inventory/items?store_id=${id}`, token)
const changesOf = (id: number, token: string, query = '') =>
  server.get(`/integration/v1/changes?store_id=${id}${query}`, token)
const codeFrom = ({ json }: Answer): string => json.status.errors?.code ?? 'none'
const listed = async (token: string): Promise<number[]> =>
  (await server.get('/integration/v1/stores', token)).json.data.map(({ id }: { id: number }) => id)
const headsOf = async (token: string): Promise<number[]> =>
  (await server.get('/integration/v1/changes/heads', token)).json.data.map(
    ({ store_id }: { store_id: number }) => store_id,
  )
const consentPage = async (client: Client): Promise<Answer> =>
  new Browser(server.base).reachConsent(authorizePath(client), 'owner@example.com')
const marked = ({ text }: Answer): string[] =>
  [...text.matchAll(/<li>(?:(?!<\/li>).)*badge[^>]*>New<(?:(?!<\/li>).)*<\/li>/gs)].map(([line]) =>
    textOf(line),
  )

describe('a scope that an app gets later', () => {
  test('counts for a merchant’s stores after the merchant allows it, and for tokens that are issued with it', async () => {
    const client = await newApp(store)
    const { access_token, refresh_token } = await grant(server, client)
    const before = await server.token(client)
    await setScope(client, `${store} ${order}`)
    const later = await server.token(client)
    assert.deepEqual(await listed(later), [1001])
    const refused = await ordersOf(1001, later)
    assert.deepEqual([refused.status, codeFrom(refused)], [403, 'store_forbidden'])
    assert.match(
      refused.json.status.errors.message,
      /may not read store 1001 with integration\.order: .* must connect the app again/,
    )
    assert.equal((await server.get('/integration/v1/stores', access_token)).status, 200)

    await decide(server, client)
    assert.equal((await ordersOf(1001, later)).json.data.length, 1)
    for (const token of [before, access_token]) {
      assert.equal(codeFrom(await ordersOf(1001, token)), 'scope_insufficient')
    }
    const refreshed = await refresh(server, client, refresh_token)
    assert.equal(refreshed.json.scope, store)
    assert.equal(codeFrom(await ordersOf(1001, refreshed.json.access_token)), 'scope_insufficient')
  })

  test('a merchant who denies it keeps what they allowed', async () => {
    const client = await newApp(store)
    await decide(server, client)
    await setScope(client, `${store} ${order}`)
    await decide(server, client, { decision: 'deny' })
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [1001])
    assert.equal(codeFrom(await ordersOf(1001, token)), 'store_forbidden')
  })

  test('other stores that the merchant ticks on the own pages get what was allowed, and no more', async () => {
    const client = await newApp(store)
    await decide(server, client)
    await setScope(client, `${store} ${order}`)
    const owner = new Browser(server.base)
    await owner.signIn('owner@example.com')
    const form = await owner.open(`/account/apps/${client.client_id}/stores`)
    await owner.submit(form, { decision: 'save', store: ['1001', '1002'] })
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [1001, 1002])
    for (const id of [1001, 1002]) assert.equal(codeFrom(await ordersOf(id, token)), 'store_forbidden')
    await decide(server, client, { stores: ['1002'] })
    assert.deepEqual(await listed(token), [1002])
    assert.equal((await ordersOf(1002, token)).status, 200)
  })

  test('the consent page marks what is new, and nothing when there is nothing new', async () => {
    const client = await newApp(store)
    assert.deepEqual(marked(await consentPage(client)), [])
    await decide(server, client)
    assert.deepEqual(marked(await consentPage(client)), [])
    await setScope(client, `${store} ${order}`)
    const page = await consentPage(client)
    assert.equal(marked(page).length, 1)
    assert.match(marked(page)[0] ?? '', /^Every order/)
    assert.match(textOf(page.text), /now asks for more/)
    await decide(server, client)
    assert.deepEqual(marked(await consentPage(client)), [])
  })

  test('an Allow covers what the page showed, also when the app got a scope while it was open', async () => {
    const client = await newApp(store)
    const browser = new Browser(server.base)
    const page = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    assert.doesNotMatch(textOf(page.text), /Every order/)
    await setScope(client, `${store} ${order}`)
    const shown = await browser.open(/action="([^"]+)"/.exec(page.text)?.[1] ?? '')
    assert.doesNotMatch(textOf(shown.text), /Every order/)
    await browser.submit(page, { decision: 'allow', store: '1001' })
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [1001])
    assert.equal(codeFrom(await ordersOf(1001, token)), 'store_forbidden')
  })

  test('an Allow does not cover a scope that was removed when the page was shown and came back', async () => {
    const client = await newApp(`${store} ${order}`)
    const browser = new Browser(server.base)
    const page = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    await setScope(client, store)
    const shown = await browser.open(/action="([^"]+)"/.exec(page.text)?.[1] ?? '')
    assert.doesNotMatch(textOf(shown.text), /Every order/)
    await setScope(client, `${store} ${order}`)
    const again = await browser.submit(shown, { decision: 'allow', store: '1001' })
    assert.equal(again.status, 422)
    assert.match(textOf(again.text), /has changed what it asks for/)
    assert.match(textOf(again.text), /Every order/)
    assert.deepEqual(await listed(await server.token(client)), [])
  })

  test('a request cannot name the scopes that the page shows', async () => {
    const client = await newApp(store)
    const path = authorizePath(client, { tillgate_scopes: `${store} ${order}` })
    const page = await new Browser(server.base).reachConsent(path, 'owner@example.com')
    assert.doesNotMatch(textOf(page.text), /Every order/)
  })

  test('a code that waits when the app loses its scope is refused, and works once the scope is back', async () => {
    const client = await newApp(`${store} ${order}`)
    const code = await codeOf(server, client)
    await setScope(client, order)
    const refused = await redeem(server, client, code)
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_scope'])
    await setScope(client, `${store} ${order}`)
    assert.equal((await redeem(server, client, code)).status, 400)
    // The merchant allows the scope that came back.
    await decide(server, client)
    assert.equal((await redeem(server, client, code)).status, 200)
  })

  test('a store that an operator linked has it after it is linked again, and only that store', async () => {
    const client = await newApp(store)
    await server.apps.authorize(client.client_id, [1001n, 1002n], byTest)
    await setScope(client, `${store} ${order}`)
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [1001, 1002])
    assert.equal(codeFrom(await ordersOf(1001, token)), 'store_forbidden')
    await server.apps.authorize(client.client_id, [1001n], byTest)
    assert.equal((await ordersOf(1001, token)).status, 200)
    assert.equal(codeFrom(await ordersOf(1002, token)), 'store_forbidden')
  })

  test('a consent and a link together give what either gives', async () => {
    const client = await newApp(store)
    await decide(server, client)
    await setScope(client, `${store} ${order} ${inventory}`)
    await server.apps.authorize(client.client_id, [1001n], byTest)
    const token = await server.token(client)
    assert.equal((await ordersOf(1001, token)).status, 200)
    assert.equal((await itemsOf(1001, token)).status, 200)
    assert.equal(codeFrom(await ordersOf(1002, token)), 'store_forbidden')
  })

  test('changes, heads and receipts have the kinds that the merchant allowed; a new kind is a new feed', async () => {
    const client = await newApp(`${store} ${order}`)
    await decide(server, client)
    await setScope(client, `${store} ${order} ${inventory}`)
    const token = await server.token(client)
    const { data } = (await changesOf(1001, token)).json
    assert.deepEqual(data.kinds, ['order'])
    assert.deepEqual(
      data.changes.map(({ kind }: { kind: string }) => kind),
      ['order'],
    )
    for (const kinds of ['item', 'order,item']) {
      assert.equal(codeFrom(await changesOf(1001, token, `&kinds=${kinds}`)), 'store_forbidden')
    }
    const days = '/integration/v1/receipts?store_id=1001&start_day=2026-11-01&end_day=2026-11-02'
    const receipts = (await server.get(days, token)).json.data
    assert.equal(receipts.items, undefined)
    assert.equal(receipts.feed, data.feed)
    assert.deepEqual(await headsOf(token), [1001])
    const onlyItems = await server.token(client, inventory)
    assert.deepEqual(await headsOf(onlyItems), [])
    assert.equal(codeFrom(await changesOf(1001, onlyItems)), 'store_forbidden')

    await decide(server, client)
    assert.deepEqual(await headsOf(onlyItems), [1001])
    const position = `&after=${data.next}&feed=${data.feed}`
    assert.equal(codeFrom(await changesOf(1001, token, position)), 'feed_changed')
    assert.equal((await changesOf(1001, token, `${position}&kinds=order`)).status, 200)
    assert.deepEqual((await changesOf(1001, token)).json.data.kinds, ['order', 'item'])
  })

  test('integration.store may come later too: stores are listed and activated once they are linked with it', async () => {
    const client = await newApp(order as string)
    await server.apps.authorize(client.client_id, [1001n], byTest)
    await setScope(client, `${order} ${store}`)
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [])
    assert.equal((await ordersOf(1001, token)).status, 200)
    const activate = () =>
      fetch(`${server.base}/integration/v1/store/1001/activate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
    assert.equal((await activate()).status, 403)
    await server.apps.authorize(client.client_id, [1001n], byTest)
    assert.deepEqual(await listed(token), [1001])
    assert.equal((await activate()).status, 200)
  })
})

describe('a scope that an app loses', () => {
  const scopes = `${store} ${order} ${inventory}`

  test('ends at once for tokens that carry it: 403 with a challenge; other scopes go on', async () => {
    const client = await newApp(scopes)
    await decide(server, client)
    const token = await server.token(client)
    assert.equal((await ordersOf(1001, token)).status, 200)
    await setScope(client, `${store} ${inventory}`)
    const refused = await ordersOf(1001, token)
    assert.deepEqual([refused.status, codeFrom(refused)], [403, 'scope_insufficient'])
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      /insufficient_scope", scope="integration\.order"/,
    )
    assert.equal((await itemsOf(1001, token)).status, 200)
    assert.deepEqual((await changesOf(1001, token)).json.data.kinds, ['item'])
    assert.equal(codeFrom(await changesOf(1001, token, '&kinds=order')), 'scope_insufficient')
    const onlyOrders = await server.post('/auth/v2/token', {
      ...clientCredentials(client),
      scope: order as string,
    })
    assert.equal(onlyOrders.json.error, 'invalid_scope')
  })

  test('is refused before bad parameters and unknown stores', async () => {
    const client = await newApp(scopes)
    await decide(server, client)
    const token = await server.token(client)
    await setScope(client, store as string)
    for (const path of ['/integration/v1/orders', '/integration/v1/inventory/items?store_id=404']) {
      assert.equal(codeFrom(await server.get(path, token)), 'scope_insufficient', path)
    }
    assert.equal(codeFrom(await server.get('/integration/v1/changes/heads', token)), 'scope_insufficient')
  })

  test('is allowed anew when it comes back', async () => {
    const client = await newApp(scopes)
    await decide(server, client)
    await server.apps.authorize(client.client_id, [1002n], byTest)
    await setScope(client, store as string)
    await setScope(client, scopes)
    const token = await server.token(client)
    assert.deepEqual(await listed(token), [1001, 1002])
    for (const id of [1001, 1002]) assert.equal(codeFrom(await ordersOf(id, token)), 'store_forbidden')
    await decide(server, client)
    assert.equal((await ordersOf(1001, token)).status, 200)
    assert.equal(codeFrom(await ordersOf(1002, token)), 'store_forbidden')
  })

  test('is not in what introspection says of a token', async () => {
    const client = await newApp(scopes)
    const token = await server.token(client)
    await setScope(client, `${store} ${order}`)
    const { client_id, client_secret } = client
    const { json } = await server.post('/auth/v2/introspect', { client_id, client_secret, token })
    assert.deepEqual([json.active, json.scope], [true, `${store} ${order}`])
  })

  test('integration.store: a refresh is invalid_scope, and does not consume the refresh token', async () => {
    const client = await newApp(scopes)
    const code = await codeOf(server, client)
    const { access_token, refresh_token } = (await redeem(server, client, code)).json
    await setScope(client, `${order} ${inventory}`)
    assert.equal(codeFrom(await server.get('/integration/v1/stores', access_token)), 'scope_insufficient')
    assert.equal((await refresh(server, client, refresh_token)).json.error, 'invalid_scope')
    await setScope(client, scopes)
    assert.equal((await refresh(server, client, refresh_token)).json.error, 'invalid_scope')
    await decide(server, client)
    assert.equal((await refresh(server, client, refresh_token)).json.scope, store)
  })

  test('a request that waits for it ends with 403', async () => {
    const client = await newApp(scopes)
    await decide(server, client)
    const token = await server.token(client)
    const { next, feed } = (await changesOf(1001, token, '&kinds=order')).json.data
    const waiting = changesOf(1001, token, `&kinds=order&after=${next}&feed=${feed}&wait=20`)
    const { next: both, feed: ofBoth } = (await changesOf(1001, token)).json.data
    const narrowed = changesOf(1001, token, `&after=${both}&feed=${ofBoth}&wait=3`)
    await setScope(client, `${store} ${inventory}`)
    assert.equal(codeFrom(await waiting), 'scope_insufficient')
    assert.deepEqual((await narrowed).json.data.kinds, ['item'])
  })

  test('the last scope stays, and platform.write cannot be added to another', async () => {
    const client = await newApp(scopes)
    await assert.rejects(setScope(client, ''), /scope is empty/)
    await assert.rejects(
      setScope(client, `${scopes} platform.write`),
      /platform\.write is for the platform alone/,
    )
    await assert.rejects(setScope(client, 'nothing'), /is not one of/)
    assert.equal((await server.apps.find(client.client_id))?.scope, scopes)
  })
})

describe('what to do about a scope', () => {
  test('an authorization request for more than integration.store learns that the consent covers every scope', async () => {
    const client = await newApp(`${store} ${order}`)
    const answer = await server.get(authorizePath(client, { scope: `${store} ${order}` }))
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    assert.equal(searchParams.get('error'), 'invalid_scope')
    assert.match(
      searchParams.get('error_description') ?? '',
      /^ask for integration\.store alone: .*client_cred/,
    )
  })

  test('a token from a consent learns that orders are read with the app’s own token', async () => {
    const client = await newApp(`${store} ${order}`)
    const { access_token } = await grant(server, client)
    const refused = await ordersOf(1001, access_token)
    assert.deepEqual([refused.status, codeFrom(refused)], [403, 'scope_insufficient'])
    assert.match(refused.json.status.errors.message, /own token \(grant_type=client_credentials\)/)
    assert.match(refused.headers.get('www-authenticate') ?? '', /scope="integration\.order"$/)
    const own = await ordersOf(1001, await server.token(client, store))
    assert.match(
      own.json.status.errors.message,
      /without the scope integration\.order: request a token with integration/,
    )
  })

  test('RFC 6750 §3: at changes the challenge names a scope that the app is registered for', async () => {
    for (const [registered, named] of [
      [`${store} ${inventory}`, inventory],
      [`${store} ${order} ${inventory}`, order],
      [store, order],
    ] as const) {
      const refused = await changesOf(1001, await server.token(await newApp(registered ?? ''), store))
      assert.deepEqual([refused.status, codeFrom(refused)], [403, 'scope_insufficient'])
      assert.ok(refused.headers.get('www-authenticate')?.endsWith(`scope="${named}"`), registered)
    }
  })
})
