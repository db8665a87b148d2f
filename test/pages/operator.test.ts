import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { demoLogo } from '../../src/demo/logos.ts'
import { platformOwner } from '../../src/storage/port/index.ts'
import { password } from '../helpers/answers.ts'
import { authorizePath } from '../helpers/authorize.ts'
import { byTest } from '../helpers/by.ts'
import { type DemoServer, startDemoServer } from '../helpers/demo-server.ts'
import { journey, signIn, tabTo, type Visit } from '../helpers/pages.ts'

/** The operator's day: look at how it goes, find somebody, switch them off and on, read who did what. */

let demo: DemoServer

before(async () => {
  demo = await startDemoServer({ orders: 120 })
  await demo.server.storage.switches.set('sign_up', false)
  await addFailingEndpoint()
})

after(() => demo.server.close())

/** In backoff, so that nothing is sent to it. */
async function addFailingEndpoint(): Promise<void> {
  const { storage, clock } = demo.server
  const endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules('') })
  const url = 'https://hooks.demo.example/tillgate'
  const { id } = await endpoints.create({ app_id: demo.dashboard.client_id, url, events: [] }, byTest)
  const failed = { retry_at_ms: clock.now() * 1000 + 1e9, at: clock.now() - 3600, disable: null }
  await storage.webhooks.report({ endpoint_id: id, failures: 0, failed })
}

const heading = ({ page }: Visit, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** By the sections at the top, as one goes. */
async function goTo(visit: Visit, section: string, title = section): Promise<void> {
  await visit.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).click()
  await heading(visit, title)
}

journey('an operator signs in and sees how it goes, over a day and over a month', async visit => {
  const { page, check } = visit
  await signIn(page, demo.server.base, demo.operator)
  await heading(visit, 'Overview')
  await page.getByRole('table', { name: 'Requests by endpoint' }).waitFor()
  await page.getByRole('img', { name: /^Requests, by hour/ }).waitFor()
  await check()
  await page.getByRole('link', { name: '30 days' }).click()
  await page.getByRole('img', { name: /^Requests, by day/ }).waitFor()
  await page.getByText('Show as table').first().click()
  await check()
  await page.getByRole('link', { name: 'Harbour Dashboard' }).click()
  await heading(visit, 'Harbour Dashboard')
  await check()
})

journey('an account is found, disabled with a warning, and enabled again', async visit => {
  const { page, check, variant } = visit
  const { server } = demo
  const email = `${variant.size}.${variant.scheme}@demo.example`
  if (!(await server.accounts.findByEmail(email))) await server.newAccount(email, 'developer')
  await signIn(page, server.base, demo.operator)
  await goTo(visit, 'Accounts')
  await check()
  await page.getByRole('searchbox', { name: 'Search' }).fill(email.slice(0, 9))
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: email }).click()
  await heading(visit, email)
  await check()
  await page.getByRole('link', { name: 'Disable', exact: true }).click()
  await heading(visit, `Disable ${email}?`)
  await check()
  await page.getByRole('button', { name: 'Disable the account' }).click()
  await heading(visit, email)
  await page.getByText('Disabled', { exact: true }).waitFor()
  assert.notEqual((await server.accounts.findByEmail(email))?.disabled_at, null)
  await page.getByRole('link', { name: 'Enable', exact: true }).click()
  await heading(visit, `Enable ${email}?`)
  await page.getByRole('button', { name: 'Enable the account' }).click()
  await page.getByText('Enabled', { exact: true }).waitFor()
  await page.getByRole('cell', { name: `enabled the account ${email}` }).waitFor()
  assert.equal((await server.accounts.findByEmail(email))?.disabled_at, null)
})

journey('an app is disabled by the keyboard alone, and its store is a step away', async visit => {
  const { page, check } = visit
  await signIn(page, demo.server.base, demo.operator)
  await goTo(visit, 'Apps')
  await check()
  const app = page.getByRole('link', { name: 'Loyal Regulars' })
  await tabTo(page, app)
  await page.keyboard.press('Enter')
  await heading(visit, 'Loyal Regulars')
  const disable = page.getByRole('link', { name: 'Disable', exact: true })
  await tabTo(page, disable)
  await page.keyboard.press('Enter')
  await heading(visit, 'Disable Loyal Regulars?')
  const button = page.getByRole('button', { name: 'Disable the app' })
  await tabTo(page, button)
  await page.keyboard.press('Enter')
  await page.getByText('Disabled', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Enable', exact: true }).click()
  await page.getByRole('button', { name: 'Enable the app' }).click()
  await page.getByText('Enabled', { exact: true }).waitFor()

  await page.goto(`${demo.server.base}/operator/apps/${demo.dashboard.client_id}/revoke`)
  await heading(visit, 'Revoke all access of Harbour Dashboard?')
  await check()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Stores it can read' }).click()
  await heading(visit, 'Stores')
  await check()
  await page.getByRole('link', { name: 'Harbour Street Café' }).click()
  await heading(visit, 'Harbour Street Café')
  await check()
})

journey('webhooks: which endpoint fails, and the app’s are paused and resumed', async visit => {
  const { page, check } = visit
  await signIn(page, demo.server.base, demo.operator)
  await goTo(visit, 'Webhooks')
  await page.getByText('Failing', { exact: true }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Harbour Dashboard' }).click()
  await heading(visit, 'Harbour Dashboard')
  await page.getByRole('link', { name: 'Pause webhooks' }).click()
  await heading(visit, 'Pause the webhooks of Harbour Dashboard?')
  await check()
  await page.getByRole('button', { name: 'Pause webhooks' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Resume webhooks' }).click()
  await page.getByRole('button', { name: 'Resume webhooks' }).click()
  await page.getByRole('link', { name: 'Pause webhooks' }).waitFor()
})

journey('the audit log is narrowed, followed and taken along', async visit => {
  const { page, check } = visit
  await signIn(page, demo.server.base, demo.operator)
  await goTo(visit, 'Audit log')
  await check()
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Access allowed' })
  await page.getByRole('button', { name: 'Search' }).click()
  const allowed = page.getByRole('cell', { name: /allowed the app Harbour Dashboard to read the stores/ })
  await allowed.waitFor()
  assert.equal(await page.getByRole('cell', { name: 'signed in' }).count(), 0)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const file = await downloading
  assert.equal(file.suggestedFilename(), 'audit-2026-11-01.ndjson')
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
  assert.ok(lines.every(line => JSON.parse(line).action === 'access_allowed'))
  await allowed.getByRole('link', { name: 'Harbour Dashboard' }).click()
  await heading(visit, 'Harbour Dashboard')
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText('Only entries about').waitFor()
  await check()
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it')
  await page.keyboard.press('Enter')
  await page.getByText('No entries').waitFor()
})

journey('sign-up is turned on and off', async visit => {
  const { page, check } = visit
  await signIn(page, demo.server.base, demo.operator)
  await goTo(visit, 'Settings')
  await page.getByRole('button', { name: 'Turn sign-up on' }).click()
  await page.getByText(`Last changed by ${demo.operator}`).waitFor()
  await check()
  await page.getByRole('button', { name: 'Turn sign-up off' }).click()
  await page.getByRole('button', { name: 'Turn sign-up on' }).waitFor()
})

journey(
  'the brand: a name, a logo, a bright colour and a support address are shown, and readable',
  async visit => {
    const { page, check } = visit
    await signIn(page, demo.server.base, demo.operator)
    await goTo(visit, 'Settings')
    await page.getByRole('link', { name: 'Change the brand' }).click()
    await heading(visit, 'Brand')
    await check()
    await page.getByLabel('Name').fill('Harbour POS')
    await page.getByLabel('Accent colour').fill('#ffd400')
    await page.getByLabel('Support address').fill('help@harbour.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Brand saved').waitFor()
    await page
      .getByLabel('Logo')
      .setInputFiles({ name: 'x', mimeType: 'text/plain', buffer: demoLogo('dashboard') })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('button', { name: 'Remove the logo' }).waitFor()
    await check()
    const colours = (await page.evaluate(
      `[...document.querySelectorAll('form button')].map(button => getComputedStyle(button).backgroundColor)`,
    )) as string[]
    assert.ok(colours.includes('rgb(255, 212, 0)'), colours.join(' '))
    assert.equal(await page.evaluate(`document.querySelector('.brand .logo').naturalWidth`), 128)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await goTo(visit, 'Audit log')
      await check()
    }
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const [path, title] of [
      ['/login', 'Sign in · Harbour POS'],
      ['/', 'Start · Harbour POS'],
      [authorizePath(demo.loyalty), 'Sign in · Harbour POS'],
    ] as const) {
      await page.goto(demo.server.base + path)
      assert.equal(await page.title(), title)
      await page.getByRole('link', { name: 'help@harbour.example' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await check()
      }
    }
    await page.getByLabel('Email').fill(demo.merchant)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await page.getByRole('checkbox').first().check()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await check()
    }
    await demo.server.storage.brand.save({ name: null, accent: null, support: null })
    await demo.server.storage.logos.set(platformOwner, null)
  },
)
