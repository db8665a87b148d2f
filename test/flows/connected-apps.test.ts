import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

const redirectUri = 'http://127.0.0.1:9/callback'
let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('other@example.com')
  await server.newAccount('maker@example.com', 'developer')
  await server.push(
    {
      kind: 'store',
      id: 1001,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
    },
    { kind: 'store', id: 2001, name: 'Elsewhere', timezone: 'Asia/Tokyo', merchant: 'other@example.com' },
  )
})

after(() => server.close())

async function connect(name: string, email: string, store: string) {
  const app = await server.newApp({ name, redirect_uris: [redirectUri] })
  const browser = new Browser(server.base)
  const query = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirectUri,
    scope: 'integration.store',
  }
  const consent = await browser.reachConsent(`/auth/v2/authorize?${new URLSearchParams(query)}`, email)
  const back = await browser.submit(consent, { decision: 'allow', store })
  const code = new URL(back.headers.get('location') as string).searchParams.get('code') as string
  const { client_id, client_secret } = app
  const { json } = await server.post('/auth/v2/token', {
    grant_type: 'authorization_code',
    client_id,
    client_secret,
    code,
    redirect_uri: redirectUri,
  })
  return { app, browser, access_token: json.access_token as string }
}

test('connected apps: a merchant sees the apps it allowed with their stores, and no other’s', async () => {
  const { browser } = await connect('Ledger <b>', 'owner@example.com', '1001')
  await connect('Neighbour’s app', 'other@example.com', '2001')
  const page = await browser.open('/account/apps')
  assert.match(page.text, /Ledger &#60;b&#62;/)
  assert.match(page.text, /Harbour Street/)
  assert.doesNotMatch(page.text, /Neighbour|Elsewhere/)
})

test('connected apps: Revoke access asks once more, then bites on the next request', async () => {
  const { app, browser, access_token } = await connect('Loyalty', 'owner@example.com', '1001')
  const own = await server.token(app)
  const question = await browser.open(`/account/apps/${app.client_id}/revoke`)
  assert.match(question.text, /Revoke Loyalty’s access\?/)
  assert.equal((await server.get('/integration/v1/stores', access_token)).status, 200)
  const page = await browser.submit(question, {})
  assert.doesNotMatch(page.text, /Loyalty/)
  assert.equal(
    (await server.get('/integration/v1/stores', access_token)).json.status.errors.code,
    'token_revoked',
  )
  const orders = `/integration/v1/orders?store_id=1001&start_date=2026-11-01+00:00:00&end_date=2026-11-01+00:00:00`
  assert.equal((await server.get(orders, own)).json.status.errors.code, 'store_forbidden')
})

test('connected apps: another merchant’s app cannot be seen or revoked', async () => {
  const theirs = await connect('Delivery', 'other@example.com', '2001')
  const browser = new Browser(server.base)
  await browser.signIn('owner@example.com')
  assert.equal((await browser.open(`/account/apps/${theirs.app.client_id}/revoke`)).status, 404)
  const own = await connect('Mine', 'owner@example.com', '1001')
  const form = await own.browser.open(`/account/apps/${own.app.client_id}/revoke`)
  const text = form.text.replaceAll(own.app.client_id, theirs.app.client_id)
  const aimedElsewhere = { status: form.status, headers: form.headers, text, json: null }
  assert.equal((await own.browser.submit(aimedElsewhere, {})).status, 404)
  assert.equal((await server.get('/integration/v1/stores', theirs.access_token)).status, 200)
})

test('connected apps: without a form token nothing is revoked', async () => {
  const { app, browser, access_token } = await connect('Analytics', 'owner@example.com', '1001')
  const answer = await browser.open(`/account/apps/${app.client_id}/revoke`, {
    method: 'POST',
    body: new URLSearchParams(),
  })
  assert.equal(answer.status, 403)
  assert.equal((await server.get('/integration/v1/stores', access_token)).status, 200)
})

test('connected apps: an anonymous visitor goes to the sign-in page, a developer reads who the page is for', async () => {
  const stranger = await new Browser(server.base).open('/account/apps')
  assert.deepEqual(
    [stranger.status, stranger.headers.get('location')],
    [303, '/login?next=%2Faccount%2Fapps'],
  )
  const developer = new Browser(server.base)
  await developer.signIn('maker@example.com')
  assert.equal((await developer.open('/account/apps')).status, 403)
})
