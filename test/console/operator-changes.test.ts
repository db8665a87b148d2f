import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, grant, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { wordsOf } from '../helpers/html.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** What an operator changes: accounts and apps off and on, all access of an app away, sign-up. */

let server: TestServer
let operator: Browser

before(async () => {
  server = await startServer()
  await server.newAccount('ops@example.com', 'operator')
  operator = new Browser(server.base)
  await operator.signIn('ops@example.com')
})

after(() => server.close())

let made = 0

/** A merchant with a store that an app reads, apart from those of the other tests. */
async function connected() {
  const number = ++made
  const email = `owner${number}@example.com`
  const account = await server.newAccount(email)
  await server.push(sampleStore({ id: 1000 + number, merchant: email }))
  const { client_id, client_secret } = await server.newApp({
    name: `Ledger ${number}`,
    redirect_uris: [redirectUri],
  })
  const client: Client = { client_id, client_secret }
  const tokens = await grant(server, client, { email, stores: [String(1000 + number)] })
  return { email, account, client, tokens, path: `/operator/accounts/${account.id}` }
}

const stores = (token: string) => server.get('/integration/v1/stores', token)

/** Opens the question, presses its button, and answers where that leads. */
async function confirm(path: string, fields: Record<string, string> = {}): Promise<Answer> {
  const question = await operator.open(path)
  assert.equal(question.status, 200, question.text)
  const answer = await operator.submit(question, fields)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

const postTo = async (path: string, fields: Record<string, string> = {}): Promise<Answer> => {
  const { text } = await operator.open('/operator/settings')
  const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
  return operator.open(path, { method: 'POST', body: new URLSearchParams({ _csrf: csrf, ...fields }) })
}

const latest = async (query: { account_id?: string; app_id?: string }) => {
  const { lines } = await server.storage.audit.list({ ...query, limit: 1, scan_limit: 2 })
  return lines[0]
}

describe('a merchant’s account', () => {
  test('its page has its stores, the apps it allows and what happened last', async () => {
    const { email, path } = await connected()
    const page = wordsOf((await operator.open(path)).text)
    assert.match(page, new RegExp(`${email} merchant Enabled Create password link Disable`))
    assert.match(page, /Stores .*Harbour Street 1001 Australia\/Sydney/)
    assert.match(page, /Connected apps .*Ledger 1 1 store 1 Nov 2026/)
    assert.match(page, new RegExp(`${email} allowed the app Ledger 1 to read the store 1001 127\\.0\\.0\\.1`))
  })

  test('disabled: signed out, access gone, and neither comes back when it is enabled', async () => {
    const { email, account, client, tokens, path } = await connected()
    const merchant = new Browser(server.base)
    await merchant.signIn(email)
    const own = await server.token(client)
    assert.equal((await stores(tokens.access_token)).json.data.length, 1)
    assert.equal((await stores(own)).json.data.length, 1)

    const question = wordsOf((await operator.open(`${path}/disable`)).text)
    assert.match(question, /ends every session of the account immediately\. Nobody can sign in/)
    assert.match(question, /One app loses the access .* does not restore it/)
    assert.match(question, new RegExp(`Ledger ${made}: 1 store`))

    const page = await confirm(`${path}/disable`)
    assert.match(wordsOf(page.text), new RegExp(`${email} merchant Disabled Enable`))
    assert.equal((await merchant.open('/account/apps')).status, 303)
    assert.equal((await merchant.signIn(email)).status, 401)
    assert.equal((await stores(tokens.access_token)).status, 401)
    assert.deepEqual((await stores(own)).json.data, [])
    const entry = await latest({ account_id: account.id })
    // The refused sign-in came behind it.
    assert.equal(entry?.action, 'sign_in_refused')

    assert.match(
      wordsOf((await operator.open(`${path}/enable`)).text),
      /have no access until the merchant allows them/,
    )
    const enabled = await confirm(`${path}/enable`)
    assert.match(wordsOf(enabled.text), new RegExp(`${email} merchant Enabled`))
    assert.equal((await merchant.signIn(email)).status, 200)
    assert.equal((await stores(tokens.access_token)).status, 401, 'what it allowed is gone for good')
    assert.deepEqual((await stores(own)).json.data, [])
  })

  test('a form that is sent twice makes one change and one audit entry', async () => {
    const { account, path } = await connected()
    for (let i = 0; i < 2; i++) assert.equal((await postTo(`${path}/disable`)).status, 303)
    const { lines } = await server.storage.audit.list({
      account_id: account.id,
      action: 'account_disabled',
      limit: 9,
      scan_limit: 10,
    })
    assert.equal(lines.length, 1)
    assert.deepEqual([lines[0]?.actor_name, lines[0]?.address], ['ops@example.com', '127.0.0.1'])
  })
})

describe('a developer’s account', () => {
  async function developerWithApps(email: string) {
    const account = await server.newAccount(email, 'developer')
    const apps = [
      await server.newApp({ name: 'First', owner_id: account.id }),
      await server.newApp({ name: 'Second', owner_id: account.id }),
    ]
    return { account, apps, path: `/operator/accounts/${account.id}` }
  }

  test('disabled alone: its apps work on', async () => {
    const { apps, path } = await developerWithApps('alone@example.com')
    const question = wordsOf((await operator.open(`${path}/disable`)).text)
    assert.match(question, /Its apps keep working unless you disable them too: .*Also disable its 2 apps/)
    await confirm(`${path}/disable`)
    for (const app of apps) assert.ok(await server.token(app))
    assert.equal((await new Browser(server.base).signIn('alone@example.com')).status, 401)
  })

  test('disabled with its apps: they get no token, each has an audit entry, and each is enabled separately', async () => {
    const { apps, path } = await developerWithApps('both@example.com')
    const page = wordsOf((await confirm(`${path}/disable`, { apps: 'yes' })).text)
    assert.match(page, /Second Disabled /)
    assert.match(page, /First Disabled /)
    for (const app of apps) {
      await assert.rejects(server.token(app), /invalid_client/)
      const entry = await latest({ app_id: app.client_id })
      assert.deepEqual([entry?.action, entry?.actor_name], ['app_disabled', 'ops@example.com'])
    }
    await confirm(`${path}/enable`)
    for (const app of apps) await assert.rejects(server.token(app), /invalid_client/)
    const [first] = apps
    await confirm(`/operator/apps/${first?.client_id}/enable`)
    assert.ok(await server.token(first as Client))
  })
})

describe('the stores of an app', () => {
  test('an operator links it to stores and ends its access to some, with an audit entry each', async () => {
    const [one, two] = [8101, 8102]
    await server.push(sampleStore({ id: one }), sampleStore({ id: two }))
    const client = await server.newApp({ name: 'Linked' })
    const path = `/operator/apps/${client.client_id}/stores`
    const ids = async () =>
      ((await stores(await server.token(client))).json as { data: { id: number }[] }).data.map(({ id }) => id)
    const send = (typed: string, action: string) => postTo(path, { ids: typed, action })
    assert.equal((await send(`${one},\n ${two} ${two}`, 'link')).status, 303)
    assert.deepEqual(await ids(), [one, two])
    const linked = await latest({ app_id: client.client_id })
    assert.deepEqual([linked?.action, linked?.store_ids], ['access_linked', [BigInt(one), BigInt(two)]])
    assert.equal((await send(String(two), 'end')).status, 303)
    assert.deepEqual(await ids(), [one])
    assert.equal((await latest({ app_id: client.client_id }))?.action, 'access_revoked')
    for (const [typed, action, reason] of [
      ['', 'link', /at least one store id/],
      ['8103', 'link', /no store has the id 8103/i],
      ['one', 'link', /is not a store id/],
      ['007', 'link', /is not a store id/],
      ['99999999999999999999', 'end', /is not a store id/],
      [String(two), '', /press one of the two/i],
    ] as const) {
      const answer = await send(typed, action)
      assert.equal(answer.status, 422, typed)
      assert.match(answer.text, reason)
    }
    assert.deepEqual(await ids(), [one])
    const stale = await postTo(path, { ids: String(two), action: 'link', scope: 'integration.store' })
    assert.equal(stale.status, 422)
    assert.match(stale.text, /scopes have changed/)
    assert.deepEqual(await ids(), [one])
  })
})

describe('an operator’s account', () => {
  test('nobody disables their own', async () => {
    const own = await server.accounts.findByEmail('ops@example.com')
    const page = await operator.open(`/operator/accounts/${own?.id}`)
    assert.match(wordsOf(page.text), /your own account\. You cannot disable it/)
    assert.doesNotMatch(page.text, /\/disable"/)
    await server.newAccount('second@example.com', 'operator')
    const answer = await postTo(`/operator/accounts/${own?.id}/disable`)
    assertError('page', answer, 409)
    assert.match(answer.text, /You cannot disable your own account/)
    assert.equal((await operator.open('/operator')).status, 200)
  })

  test('another’s can be disabled, but not the last that is enabled, by anybody', async () => {
    const second = await server.accounts.findByEmail('second@example.com')
    const first = await server.accounts.findByEmail('ops@example.com')
    assert.ok(first && second)
    await confirm(`/operator/accounts/${second.id}/disable`)
    assert.equal((await new Browser(server.base).signIn('second@example.com')).status, 401)
    await assert.rejects(server.accounts.setDisabled(first, true, byTest), /only enabled operator/)
    assert.equal((await server.storage.accounts.find(first.id))?.disabled_at, null)
  })

  test('of two who disable each other at once, one stays', async t => {
    const own = await startServer()
    t.after(() => own.close())
    const pair = await Promise.all(
      ['a@example.com', 'b@example.com'].map(async email => {
        const account = await own.newAccount(email, 'operator')
        const browser = new Browser(own.base)
        await browser.signIn(email)
        return { account, browser }
      }),
    )
    const questions = await Promise.all(
      pair.map(({ browser }, i) => browser.open(`/operator/accounts/${pair[1 - i]?.account.id}/disable`)),
    )
    await Promise.all(pair.map(({ browser }, i) => browser.submit(questions[i] as Answer, {})))
    const after = await Promise.all(pair.map(({ account }) => own.storage.accounts.find(account.id)))
    assert.equal(after.filter(account => account?.disabled_at === null).length, 1)
  })
})

describe('an app', () => {
  test('its page has its developer, secrets, reach and requests', async () => {
    const { id: owner_id } = await server.newAccount('maker@example.com', 'developer')
    const app = await server.newApp({
      name: 'Counter',
      website: 'https://counter.example/',
      publisher: 'Counter Ltd',
      owner_id,
      redirect_uris: [redirectUri],
    })
    server.clock.advance(60)
    await server.apps.rotateSecret(app.client_id, byTest)
    await server.get('/integration/v1/stores', await server.token(app))
    const page = wordsOf((await operator.open(`/operator/apps/${app.client_id}`)).text)
    assert.match(page, /Counter Enabled Disable Stores it can read 0 not connected yet/)
    assert.match(page, /Requests, 30 days 2 Errors, 30 days 0 %/)
    assert.match(page, new RegExp(`client_id ${app.client_id} .*Developer maker@example\\.com`))
    assert.match(page, /Publisher Counter Ltd Website https:\/\/counter\.example\/ Type Confidential/)
    assert.match(page, /Scopes integration\.store integration\.order integration\.inventory/)
    assert.match(page, /Redirect URIs https:\/\/app\.example\.com\/cb/)
    assert.match(page, /Secrets .*1 Nov 2026, 12:01 UTC never 1 Nov 2026, 12:00 UTC 1 Nov 2026, 12:01 UTC/)
    assert.match(page, /gave the app Counter a new secret/)
    assert.doesNotMatch(page, new RegExp(app.client_secret))
  })

  test('disabled: its tokens are refused; enabled: they work again', async () => {
    const { client, tokens } = await connected()
    const path = `/operator/apps/${client.client_id}`
    assert.match(wordsOf((await operator.open(`${path}/disable`)).text), /It can read 1 store now/)
    const page = await confirm(`${path}/disable`)
    assert.match(wordsOf(page.text), /Disabled Revoke all access Enable/)
    assert.equal((await stores(tokens.access_token)).status, 401)
    await assert.rejects(server.token(client), /invalid_client/)
    await confirm(`${path}/enable`)
    assert.equal((await stores(tokens.access_token)).status, 200)
    assert.equal((await latest({ app_id: client.client_id }))?.action, 'app_enabled')
  })

  test('one that its developer switched off can be disabled over it, and then stays off', async () => {
    const { client } = await connected()
    const path = `/operator/apps/${client.client_id}`
    await server.apps.setDisabledByOwner(client.client_id, true, byTest)
    assert.match(
      wordsOf((await operator.open(path)).text),
      /Disabled by its developer Revoke all access Disable Enable/,
    )
    const page = await confirm(`${path}/disable`)
    assert.match(wordsOf(page.text), /Disabled Revoke all access Enable/)
    assert.equal(await server.apps.setDisabledByOwner(client.client_id, false, byTest), false)
  })

  test('all its access can be taken: tokens die, and the merchant has nothing connected', async () => {
    const { email, client, tokens } = await connected()
    await server.apps.authorize(client.client_id, [1001n], byTest)
    const path = `/operator/apps/${client.client_id}`
    const question = wordsOf((await operator.open(`${path}/revoke`)).text)
    assert.match(
      question,
      /It can read 2 stores now.* consent of 1 merchant ends, and so do the operators’ links/,
    )
    const page = wordsOf((await confirm(`${path}/revoke`)).text)
    assert.match(page, /Stores it can read 0/)
    assert.doesNotMatch(page, /Revoke all access/)
    assert.equal((await stores(tokens.access_token)).status, 401)
    assert.deepEqual((await stores(await server.token(client))).json.data, [])
    const merchant = new Browser(server.base)
    await merchant.signIn(email)
    assert.match((await merchant.open('/account/apps')).text, /No app has access to your stores/)
    const entry = await latest({ app_id: client.client_id })
    assert.deepEqual([entry?.action, entry?.actor_name], ['access_revoked', 'ops@example.com'])
  })
})

describe('sign-up', () => {
  test('is off, is turned on and off again, and says who did it', async () => {
    const open = async () => (await new Browser(server.base).open('/signup')).text
    assert.match(wordsOf((await operator.open('/operator/settings')).text), /Off .*Not changed yet/)
    assert.doesNotMatch(await open(), /name="password"/)
    const on = await confirm('/operator/settings')
    assert.match(wordsOf(on.text), /On Anyone can .*Last changed by ops@example\.com, 1 Nov 2026/)
    assert.match(await open(), /name="password"/)
    const off = await confirm('/operator/settings')
    assert.match(wordsOf(off.text), /Off .*Last changed by ops@example\.com/)
    assert.doesNotMatch(await open(), /name="password"/)
    const { lines } = await server.storage.audit.list({ action: 'switch_set', limit: 9, scan_limit: 10 })
    assert.deepEqual(
      lines.map(({ detail, actor_name }) => [detail, actor_name]),
      [
        ['sign_up off', 'ops@example.com'],
        ['sign_up on', 'ops@example.com'],
      ],
    )
  })

  test('a form without a change makes no audit entry', async () => {
    for (const sign_up of ['', 'yes', 'off']) await postTo('/operator/settings', { sign_up })
    assert.equal(await server.storage.switches.isOn('sign_up'), false)
    const { lines } = await server.storage.audit.list({ action: 'switch_set', limit: 9, scan_limit: 10 })
    assert.equal(lines.length, 2)
  })
})
