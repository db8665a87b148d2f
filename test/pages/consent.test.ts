import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../helpers/chromium.ts'
import { freePort } from '../helpers/ports.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'

/** The journey of a merchant, in a real browser, found by the names that people and screen readers find things by. */

let server: TestServer
let browser: Browser
/** The third-party app's own site, on another origin: what the merchant returns to. */
let site: Server
let callback: string

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(
    {
      kind: 'store',
      id: 1001,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
    },
    {
      kind: 'store',
      id: 1002,
      name: 'Mill <i>Lane</i>',
      timezone: 'Europe/London',
      merchant: 'owner@example.com',
    },
  )
  const port = await freePort()
  callback = `http://localhost:${port}/callback`
  site = createServer((_request, response) => response.end('<h1>Back at the app</h1>')).listen(
    port,
    'localhost',
  )
  browser = await launchChromium()
})

after(async () => {
  await browser.close()
  site.close()
  await server.close()
})

async function openAuthorize(): Promise<{ page: Page; app: { client_id: string; client_secret: string } }> {
  const app = await server.newApp({ name: 'Ledger', redirect_uris: [callback] })
  const context = await browser.newContext()
  const page = await context.newPage()
  const query = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: callback,
    scope: 'integration.store',
    state: 's',
  }
  await page.goto(`${server.base}/auth/v2/authorize?${new URLSearchParams(query)}`)
  await page.getByLabel('Email').fill('owner@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return { page, app }
}

test('Allow: sign in, pick a store by its name, and return to the app with a code', async () => {
  const { page, app } = await openAuthorize()
  await page.getByRole('checkbox', { name: 'Harbour Street' }).check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Back at the app').waitFor()
  const returned = new URL(page.url())
  assert.equal(returned.origin + returned.pathname, callback)
  assert.equal(returned.searchParams.get('state'), 's')
  const { client_id, client_secret } = app
  const code = returned.searchParams.get('code') as string
  const tokens = await server.post('/auth/v2/token', {
    ...{ grant_type: 'authorization_code', client_id, client_secret, code, redirect_uri: callback },
  })
  const stores = await server.get('/integration/v1/stores', tokens.json.access_token)
  assert.deepEqual(
    stores.json.data.map((store: { id: number }) => store.id),
    [1001],
  )

  await page.goto(`${server.base}/account/apps`)
  await page.getByRole('button', { name: 'Revoke access' }).click()
  await page.getByRole('heading', { name: 'Revoke the access of Ledger?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke access' }).click()
  await page.getByText('No app has access to your stores').waitFor()
  assert.equal((await server.get('/integration/v1/stores', tokens.json.access_token)).status, 401)
  await page.context().close()
})

test('Deny: return to the app with access_denied', async () => {
  const { page } = await openAuthorize()
  await page.getByRole('checkbox', { name: 'Mill <i>Lane</i>' }).check()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Back at the app').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
  await page.context().close()
})

test('the pages and the API reference load without an error and from nowhere else', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('request', request => request.url().startsWith(server.base) || problems.push(request.url()))
  for (const path of ['/login', '/docs']) await page.goto(server.base + path, { waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: 'Tillgate' }).first().waitFor()
  assert.deepEqual(problems, [])
  await context.close()
})
