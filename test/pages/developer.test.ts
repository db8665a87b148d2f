import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { demoLogo } from '../../src/demo/logos.ts'
import { svg } from '../helpers/images.ts'
import { decide } from '../helpers/authorize.ts'
import { journey, settled, signIn, tabTo, visit } from '../helpers/pages.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'

/** A developer's way: sign up, create an app, take its secret along, watch it, change it, try the API with it. */

let server: TestServer
/** An app in use: connected, with requests that worked and some that did not. */
let busy: { client_id: string; client_secret: string }
/** Where apps are called back. */
const callback = createServer((_, response) => response.end('back in the app'))

before(async () => {
  callback.listen(0, '127.0.0.1')
  await once(callback, 'listening')
  server = await startServer()
  await server.storage.switches.set('sign_up', true)
  await server.newAccount('owner@example.com')
  const { id: owner_id } = await server.newAccount('dev@example.com', 'developer')
  const place = { timezone: 'Australia/Sydney', merchant: 'owner@example.com' }
  await server.push({ kind: 'store', id: 1001, name: 'Harbour Street', ...place })
  const redirect_uris = ['https://app.example.com/cb', `${server.base}/docs/`]
  const name = 'A dashboard with a name that is rather long, as names are'
  busy = await server.newApp({ name, redirect_uris, owner_id, publisher: 'Harbour <b>Software</b>' })
  await decide(server, busy)
  for (let hours = 20; hours >= 0; hours -= 5) {
    server.clock.advance(-hours * 3600)
    const token = await server.token(busy)
    await server.get('/integration/v1/stores', token)
    const window = 'start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2001:00:00'
    await server.get(`/integration/v1/orders?store_id=1001&count=5000&${window}`, token)
    await server.get('/integration/v1/inventory/items?store_id=77', token)
    server.clock.advance(hours * 3600)
  }
})

after(async () => {
  callback.close()
  await server.close()
})

let people = 0
const value = (page: Page, name: string) =>
  page.locator('dl.facts > div', { hasText: name }).locator('.value').first().innerText()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

/** Resets the throttle: each journey signs somebody up from the same address. */
const newMinute = () => server.clock.advance(60)

journey(
  'from signing up to a token: create an app, mend a mistake, copy the secret, rotate it, retire the old one',
  async ({ page, check }) => {
    newMinute()
    await page.goto(`${server.base}/login`)
    await page.getByRole('link', { name: 'Create a developer account' }).click()
    await heading(page, 'Create a developer account')
    await check()
    await page.getByLabel('Email').fill('dev@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('already exists').waitFor()
    await check()
    await page.getByLabel('Email').fill(`person${people++}@example.com`)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()

    await page.getByText('You have no apps yet').waitFor()
    await check()
    await page.getByRole('link', { name: 'Create an app' }).click()
    await page.getByLabel('Name').fill('Ledger')
    await page.getByLabel('Website').fill('https://ledger.example')
    await page.getByLabel('Publisher').fill('Ledger Ltd')
    await page.getByLabel('Redirect URIs').fill('http://ledger.example/cb')
    await page.getByRole('checkbox', { name: 'integration.inventory' }).uncheck()
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByText('http is for loopback hosts only').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ledger')
    assert.equal(await page.getByLabel('Redirect URIs').inputValue(), 'http://ledger.example/cb')
    assert.equal(await page.getByRole('checkbox', { name: 'integration.inventory' }).isChecked(), false)
    await check()
    await page.getByLabel('Redirect URIs').fill('https://ledger.example/cb\nhttp://127.0.0.1:8080/cb')
    await page.getByRole('button', { name: 'Create app' }).click()

    await heading(page, 'Ledger has been created')
    await check()
    const client = { client_id: await value(page, 'client_id'), client_secret: '' }
    client.client_secret = await value(page, 'client_secret')
    assert.ok(await server.token(client))
    await page.getByRole('button', { name: 'Copy client_secret' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), client.client_secret)
    await page.getByRole('link', { name: 'I have copied it' }).click()

    await heading(page, 'Ledger')
    assert.ok(!(await page.content()).includes(client.client_secret))
    await check()
    await page.getByRole('link', { name: 'Rotate the secret' }).click()
    await check()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await heading(page, 'Ledger has a new secret')
    const second = { ...client, client_secret: await value(page, 'client_secret') }
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByText('Two secrets work now').waitFor()
    await check()
    await page
      .getByRole('link', { name: /^Retire the secret created/ })
      .last()
      .click()
    await check()
    await page.getByRole('button', { name: 'Retire the secret' }).click()
    await page.getByText('Secret retired').waitFor()
    assert.ok(await server.token(second))
    await assert.rejects(server.token(client), /401/)
  },
  { permissions: ['clipboard-read', 'clipboard-write'], expected: /status of 422/ },
)

journey('an app in use: figures, the request log, its filters, activity', async ({ page, check }) => {
  newMinute()
  await page.goto(`${server.base}/developer/apps`)
  await signIn(page, server.base, 'dev@example.com')
  await page.getByRole('link', { name: /^A dashboard/ }).click()
  await heading(page, /^A dashboard/)
  await page.getByRole('img', { name: 'Requests, by hour' }).waitFor()
  await page.getByText('1 store of 1 merchant').waitFor()
  await check()
  await page.getByRole('link', { name: '30 days' }).click()
  await page.getByRole('img', { name: 'Latency, by day' }).waitFor()
  await page.getByText('Show as table').first().click()
  await check()

  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  assert.equal(await page.getByRole('row').count(), 1 + 20)
  await check()
  await page.getByRole('checkbox', { name: 'Errors only' }).check()
  await page.getByLabel('Endpoint').selectOption('GET /integration/v1/orders')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('Ask for at most 2000 orders per page').first().waitFor()
  assert.equal(await page.getByRole('row').count(), 1 + 5)
  const id = await page.getByRole('rowheader').first().innerText()
  await page.getByRole('searchbox', { name: 'Request id' }).fill(id.replace('Request id', '').trim())
  await page.getByRole('button', { name: 'Search' }).click()
  assert.equal(await page.getByRole('row').count(), 1 + 1)
  await page.getByRole('searchbox', { name: 'Request id' }).fill('nothing')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('No request has this id').waitFor()
  await check()

  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('rowheader', { name: 'Allowed the app: one store' }).waitFor()
  assert.doesNotMatch(await page.content(), /owner@example\.com/)
  await check()
})

journey('changing an app, disabling it and enabling it again', async ({ page, check }) => {
  newMinute()
  const { id: owner_id } = (await server.storage.accounts.findByEmail('dev@example.com')) ?? { id: '' }
  const client = await server.newApp({ name: 'Changing', owner_id })
  await page.goto(`${server.base}/developer/apps/${client.client_id}`)
  await signIn(page, server.base, 'dev@example.com')
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Changed')
  await page.getByLabel('Website').fill('https://changed.example')
  await check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Changes saved.').waitFor()
  await heading(page, 'Changed')
  await page.getByRole('link', { name: 'Disable the app' }).click()
  await heading(page, 'Disable Changed?')
  await check()
  await page.getByRole('button', { name: 'Disable the app' }).click()
  await page.getByText('You disabled this app on').waitFor()
  await check()
  await assert.rejects(server.token(client), /401/)
  await page.getByRole('button', { name: 'Enable the app' }).click()
  await page.getByText('The app is enabled.').waitFor()
  assert.ok(await server.token(client))
})

for (const isPublic of [false, true]) {
  journey(
    `the connect link of a ${isPublic ? 'public' : 'confidential'} app works as shown: open, allow, exchange by the shown command`,
    async ({ page, check }) => {
      newMinute()
      const { id: owner_id } = (await server.storage.accounts.findByEmail('dev@example.com')) ?? { id: '' }
      const { port } = callback.address() as AddressInfo
      const redirect_uris = ['https://first.example/cb', `http://127.0.0.1:${port}/it's/cb`]
      const client = await server.newApp({ name: 'Linked', owner_id, redirect_uris, public: isPublic })
      await page.goto(`${server.base}/developer/apps/${client.client_id}`)
      await signIn(page, server.base, 'dev@example.com')
      await page.getByRole('link', { name: 'Get the link' }).click()
      await page.getByRole('combobox', { name: 'Redirect URI' }).selectOption(redirect_uris[1] ?? '')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('button', { name: 'Copy link' }).click()
      const link = (await page.evaluate('navigator.clipboard.readText()')) as string
      const [state, command] = [
        await page.locator('#state').innerText(),
        await page.locator('#exchange').innerText(),
      ]
      await check()

      await page.context().clearCookies()
      await page.goto(link)
      await signIn(page, server.base, 'owner@example.com')
      await page.getByRole('checkbox', { name: 'Harbour Street' }).check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('back in the app').waitFor()
      const { searchParams } = new URL(page.url())
      assert.equal(searchParams.get('state'), state)
      const filled = command
        .replace('=CODE', `=${searchParams.get('code')}`)
        .replace('=CLIENT_SECRET', `=${client.client_secret}`)
      const { stdout } = await promisify(execFile)('sh', ['-c', `${filled} --silent`])
      const { access_token } = JSON.parse(stdout) as { access_token: string }
      assert.equal((await server.get('/integration/v1/stores', access_token)).status, 200)
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
}

const desktop = { size: 'desktop', scheme: 'light' } as const

test('by the keyboard alone: create an app and copy its secret', () =>
  visit(
    desktop,
    async ({ page }) => {
      newMinute()
      await page.goto(`${server.base}/developer/apps`)
      await signIn(page, server.base, 'dev@example.com')
      await page.getByRole('heading', { name: 'My apps' }).waitFor()
      const press = async (name: string, role: 'link' | 'button') => {
        await tabTo(page, page.getByRole(role, { name }))
        await page.keyboard.press('Enter')
      }
      const write = async (label: string, text: string) => {
        await tabTo(page, page.getByLabel(label))
        await page.keyboard.type(text)
      }
      await press('Create an app', 'link')
      await page.getByRole('heading', { name: 'Create an app' }).waitFor()
      await write('Name', 'By keyboard')
      await write('Redirect URIs', 'https://keyboard.example/cb')
      await tabTo(page, page.getByRole('checkbox', { name: 'integration.order' }))
      await page.keyboard.press('Space')
      await press('Create app', 'button')
      await heading(page, 'By keyboard has been created')
      await press('Copy client_secret', 'button')
      await page.getByText('Copied', { exact: true }).waitFor()
      const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
      const client_id = await value(page, 'client_id')
      assert.ok(await server.token({ client_id, client_secret: copied }))
      assert.equal((await server.storage.apps.find(client_id))?.scope, 'integration.store integration.order')
      await press('I have copied it', 'link')
      await heading(page, 'By keyboard')
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ))

test('without script: create an app, read its secret, filter the log', () =>
  visit(
    desktop,
    async ({ page }) => {
      newMinute()
      await page.goto(`${server.base}/developer/apps/new`)
      await signIn(page, server.base, 'dev@example.com')
      await page.getByLabel('Name').fill('No script')
      await page.getByRole('button', { name: 'Create app' }).click()
      await heading(page, 'No script has been created')
      const client_id = await value(page, 'client_id')
      assert.ok(await server.token({ client_id, client_secret: await value(page, 'client_secret') }))
      assert.equal(await page.getByRole('button', { name: /Copy/ }).count(), 0)
      await page.goto(`${server.base}/developer/apps/${busy.client_id}/requests`)
      await page.getByRole('checkbox', { name: 'Errors only' }).check()
      await page.getByRole('button', { name: 'Search' }).click()
      assert.equal(await page.getByRole('row').count(), 1 + 10)
    },
    { javaScriptEnabled: false },
  ))

test('Try it: the reference has the app chosen; its secret gets a token, and a request works; nothing is kept', () =>
  visit(
    desktop,
    async ({ page }) => {
      newMinute()
      await page.goto(`${server.base}/developer/apps/${busy.client_id}`)
      await signIn(page, server.base, 'dev@example.com')
      const elsewhere: string[] = []
      const send = page.getByRole('button', { name: /^Send/ }).first()
      page.on('request', request => request.url().startsWith(server.base) || elsewhere.push(request.url()))
      await page.getByRole('link', { name: 'Try it' }).click()
      await page.getByText(busy.client_id).waitFor()
      await settled(page)
      await page.getByLabel('Client Secret').fill(busy.client_secret)
      const token = page.waitForResponse(response => response.url().endsWith('/auth/v2/token'))
      await page.getByRole('button', { name: 'Authorize' }).click()
      assert.equal((await token).status(), 200)
      // The reference shows a chapter when it is opened.
      await page.getByRole('link', { name: 'Changes', exact: true }).click()
      await page
        .getByRole('button', { name: /^Test Request.*\/changes\)?$/ })
        .first()
        .click()
      await send.waitFor()
      await settled(page)
      const changes = page.waitForResponse(response =>
        response.url().includes('/integration/v1/changes?store_id=1001'),
      )
      await send.click()
      assert.equal((await changes).status(), 200)
      await page.keyboard.press('Escape')
      // A store of the app and yesterday are filled in.
      await page.getByRole('link', { name: 'Orders', exact: true }).click()
      await page
        .getByRole('button', { name: /^Test Request.*\/orders\)?$/ })
        .first()
        .click()
      await send.waitFor()
      await settled(page)
      const orders = page.waitForResponse(response =>
        /\/orders\?store_id=1001&start_date=.*00%3A00%3A00&end_date=.*23%3A59%3A59/.test(response.url()),
      )
      await send.click()
      assert.equal((await orders).status(), 200)
      assert.equal(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'), '{}')
      assert.deepEqual(elsewhere, [])
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Back to the app' }).click()
      await heading(page, /^A dashboard/)
      // Where the reference still works on an answer, the Escape cancels its request.
    },
    { expected: /^The request has been cancelled$/ },
  ))

journey(
  'a logo: a wrong file is explained, a right one is shown, and removed again',
  async ({ page, check }) => {
    await signIn(page, server.base, 'dev@example.com')
    await page.goto(`${server.base}/developer/apps/${busy.client_id}`)
    await page.getByRole('link', { name: 'Add a logo' }).click()
    await heading(page, /^Logo of A dashboard/)
    await check()
    const upload = async (buffer: Buffer) => {
      await page.getByLabel(/logo$/i).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
      await page.getByRole('button', { name: 'Upload' }).click()
    }
    await upload(svg)
    await page.getByText('The file is not a PNG, JPEG or WebP image').waitFor()
    await check()
    await upload(demoLogo('ledger'))
    await page.getByText('Logo saved').waitFor()
    const logo = page.locator('.page-header .logo')
    assert.equal(await page.evaluate(`document.querySelector('.page-header .logo').naturalWidth`), 128)
    await check()
    await page.getByRole('link', { name: 'Change or remove' }).click()
    await check()
    await page.getByRole('button', { name: 'Remove the logo' }).click()
    await page.getByText('Logo removed').waitFor()
    assert.equal(await logo.innerText(), 'A')
  },
  { expected: /status of 422/ },
)
