import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ExampleApp, startExampleApp } from '../helpers/example-app.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { journey, signIn, tabTo, type Visit, visit } from '../helpers/pages.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** The journey of a merchant, in a real browser, found by the names that people and screen readers find things by. */

let server: TestServer
let base: string
const apps: ExampleApp[] = []
const merchant = 'owner@example.com'
const chain = 'chain@example.com'

before(async () => {
  server = await startServer()
  base = server.base
  await server.newAccount(merchant)
  await server.newAccount(chain)
  await server.newAccount('dev@example.com', 'developer')
  await server.push(
    sampleStore(),
    sampleStore({ id: 1002, name: 'Mill <i>Lane</i>', timezone: 'Europe/London' }),
    ...Array.from({ length: 40 }, (_, i) =>
      sampleStore({ id: 3000 + i, name: `Kiosk ${i}`, merchant: chain }),
    ),
    sampleOrder(),
  )
})

after(async () => {
  for (const app of apps) await app.close()
  await server.close()
})

async function startApp(): Promise<ExampleApp> {
  const app = await startExampleApp(server, 'Ledger')
  apps.push(app)
  return app
}

/** From the app's own site to the consent page. */
async function reachConsent(page: Page, { site }: ExampleApp, email = merchant): Promise<void> {
  await page.goto(site)
  await page.getByRole('link', { name: 'Connect your stores' }).click()
  await signIn(page, base, email)
  await page.getByRole('heading', { level: 1, name: 'Ledger asks for access to your stores' }).waitFor()
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const pick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true }).check()

const mistakes = { expected: /status of (4\d\d)/ }

journey(
  'from the app through consent to its orders, changed stores, and revocation',
  async ({ page, check }) => {
    const app = await startApp()
    await page.goto(app.site)
    await page.getByRole('link', { name: 'Connect your stores' }).click()
    await page.getByText('Ledger asks for access to your stores. Sign in to see the details').waitFor()
    await check()
    await signIn(page, base, merchant)

    await page.getByRole('heading', { level: 1, name: 'Ledger asks for access to your stores' }).waitFor()
    await page.getByText('Example Software').waitFor()
    await page.getByText(new URL(app.site).host).waitFor()
    await page.getByText('Every order').waitFor()
    await check()
    await press(page, 'Allow')
    await page.getByRole('alert').getByText('Pick at least one store').waitFor()
    await check()
    await pick(page, 'Harbour Street')
    await press(page, 'Allow')
    await page.getByText('Connected: Harbour Street').waitFor()
    await page.goto(`${app.site}/orders`)
    await page.getByText('1 orders of Harbour Street').waitFor()

    await page.goto(`${base}/account/apps`)
    await check()
    await page.getByRole('link', { name: 'Ledger' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor()
    await page.getByRole('img', { name: 'Read in the last 30 days, by day (Sydney time)' }).waitFor()
    await check()

    await page.getByRole('link', { name: 'Change stores' }).click()
    await page.getByRole('checkbox', { name: 'Harbour Street', exact: true }).uncheck()
    await page.getByText('Loses access to this store').waitFor()
    await pick(page, 'Mill <i>Lane</i>')
    await page.getByText('New for this app').waitFor()
    await check()
    await press(page, 'Save')
    await page.getByRole('status').getByText('Stores saved').waitFor()
    await check()
    await page.goto(`${app.site}/orders`)
    await page.getByText('Refused: 403 store_forbidden').waitFor()
    await page.goto(`${app.site}/stores`)
    await page.getByText('Stores: Mill Lane').waitFor()

    await page.goto(`${base}/account/apps`)
    await press(page, 'Revoke access')
    await page.getByRole('heading', { name: 'Revoke Ledger’s access?' }).waitFor()
    await check()
    await press(page, 'Revoke access')
    await page.getByText('No app has access to your stores').waitFor()
    await check()
    await page.goto(`${app.site}/stores`)
    await page.getByText('Refused: 401 token_revoked').waitFor()
    await page.goto(`${app.site}/orders`)
    await page.getByText('Refused: 403 store_forbidden').waitFor()

    await page.goto(`${base}/account/activity`)
    await page.getByRole('cell', { name: 'Ledger' }).first().waitFor()
    await check()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('allowed the app Ledger to read the store Harbour Street').first().waitFor()
    await check()
  },
  mistakes,
)

journey(
  'Deny, and asked again after having allowed',
  async ({ page, check }) => {
    const app = await startApp()
    await reachConsent(page, app)
    await pick(page, 'Mill <i>Lane</i>')
    await press(page, 'Deny')
    await page.getByText('Refused: access_denied').waitFor()
    await page.goto(`${app.site}/connect`)
    await pick(page, 'Harbour Street')
    await press(page, 'Allow')
    await page.getByText('Connected: Harbour Street').waitFor()
    await page.goto(`${app.site}/connect`)
    await page.getByText('You allowed this app before').waitFor()
    assert.ok(await page.getByRole('checkbox', { name: 'Harbour Street', exact: true }).isChecked())
    await check()
    const description = await page
      .getByRole('checkbox', { name: 'Harbour Street', exact: true })
      .evaluate(
        box => box.ownerDocument.getElementById(box.getAttribute('aria-describedby') ?? '')?.innerText,
      )
    assert.equal(description, 'Allowed since 1 Nov 2026', 'what a screen reader says with the box')
  },
  mistakes,
)

const desktop = { size: 'desktop', scheme: 'light' } as const
const walk = (title: string, steps: (visit: Visit) => Promise<void>, options = {}) =>
  test(title, () => visit(desktop, steps, { ...mistakes, ...options }))

walk(
  'a wrong account: sign out, sign in as the merchant, and go on with the same request',
  async ({ page, check }) => {
    const app = await startApp()
    await page.goto(`${app.site}/connect`)
    await signIn(page, base, 'dev@example.com')
    await page.getByRole('heading', { name: 'Sign in as a merchant' }).waitFor()
    await check()
    await press(page, 'Use another account')
    await signIn(page, base, chain)
    await page.getByRole('checkbox', { name: 'Kiosk 0', exact: true }).waitFor()
    await press(page, 'Use another account')
    await signIn(page, base, merchant)
    await pick(page, 'Harbour Street')
    await press(page, 'Allow')
    await page.getByText('Connected: Harbour Street').waitFor()
  },
)

walk('the Back button after the answer leads nowhere wrong', async ({ page, check }) => {
  const app = await startApp()
  await reachConsent(page, app)
  await pick(page, 'Harbour Street')
  await press(page, 'Allow')
  await page.getByText('Connected: Harbour Street').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'You have already answered' }).waitFor()
  await check()
  assert.equal(await page.getByRole('link', { name: /^Back to / }).getAttribute('href'), app.site)
  await page.goto(`${app.site}/stores`)
  await page.getByText('Stores: Harbour Street').waitFor()
})

walk(
  'Allow pressed again while the first answer is under way is one answer, and arrives at the app',
  async ({ page }) => {
    const app = await startApp()
    await reachConsent(page, app)
    await pick(page, 'Harbour Street')
    const answers: string[] = []
    let release = () => {}
    const pressedTwice = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/consent/*', async route => {
      answers.push(route.request().method())
      await pressedTwice
      await route.continue()
    })
    // By the mouse itself: a locator would wait for the page that is under way.
    const allow = page.getByRole('button', { name: 'Allow', exact: true })
    await allow.scrollIntoViewIfNeeded()
    const box = await allow.boundingBox()
    const press = () => page.mouse.click((box?.x ?? 0) + 9, (box?.y ?? 0) + 9)
    const sent = page.waitForRequest(/consent/)
    await press()
    await sent
    await press()
    release()
    await page.getByText('Connected: Harbour Street').waitFor()
    assert.deepEqual(answers, ['POST'])
  },
)

walk('Enter in the search field or on a box decides nothing', async ({ page }) => {
  const app = await startApp()
  await reachConsent(page, app, chain)
  await page.getByRole('searchbox', { name: 'Find a store' }).press('Enter')
  await enterOn(page, 'Kiosk 7', '1 of 40 picked')
  await press(page, 'Use another account')
  await signIn(page, base, merchant)
  await enterOn(page, 'Harbour Street', '1 of 2 picked')
})

/** The page may be loaded again, but the same box is ticked, and no other. */
async function enterOn(page: Page, name: string, count: string): Promise<void> {
  await pick(page, name)
  const shown = page.waitForResponse(answer => answer.url().includes('/consent/') && answer.status() !== 303)
  await page.getByRole('checkbox', { name, exact: true }).press('Enter')
  assert.equal((await shown).status(), 200)
  await page.getByText(count).waitFor()
  assert.ok(await page.getByRole('checkbox', { name, exact: true }).isChecked())
}

walk('by the keyboard alone', async ({ page }) => {
  const app = await startApp()
  await reachConsent(page, app)
  await tabTo(page, page.getByRole('checkbox', { name: 'Harbour Street', exact: true }))
  await page.keyboard.press('Space')
  await tabTo(page, page.getByRole('button', { name: 'Allow', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByText('Connected: Harbour Street').waitFor()
})

walk('many stores: found by typing, ticked and cleared at once', async ({ page, check }) => {
  const app = await startApp()
  await reachConsent(page, app, chain)
  await pick(page, 'Kiosk 5')
  const search = page.getByRole('searchbox', { name: 'Find a store' })
  await search.fill('kiosk 3')
  assert.equal(await page.getByRole('checkbox').count(), 13, '3, 13, 23, and 30 to 39')
  await check()
  await press(page, 'All')
  await search.fill('')
  await page.getByText('14 of 40 picked').waitFor()
  await press(page, 'Allow')
  await page.getByText(/^Connected: (Kiosk \d+, ){13}Kiosk \d+$/).waitFor()
})

walk(
  'without script: everything, the search too',
  async ({ page }) => {
    const app = await startApp()
    await reachConsent(page, app, chain)
    await pick(page, 'Kiosk 5')
    await page.getByRole('searchbox', { name: 'Find a store' }).fill('kiosk 3')
    await press(page, 'Find')
    assert.equal(await page.getByRole('checkbox').count(), 14, 'what is picked, and what is found')
    await press(page, 'All')
    await press(page, 'None')
    await page.getByText('1 of 40 picked').waitFor()
    await press(page, 'All')
    await page.getByText('14 of 40 picked').waitFor()
    await press(page, 'Allow')
    await page.getByText(/^Connected: (Kiosk \d+, ){13}Kiosk \d+$/).waitFor()
    await page.goto(`${base}/account/apps/${app.client_id}`)
    await press(page, 'Revoke access')
    await press(page, 'Revoke access')
    await page.getByText('Access revoked').waitFor()
  },
  { javaScriptEnabled: false },
)

walk(
  'the pages and the API reference load from nowhere else, and run nothing of the address',
  async ({ page }) => {
    const elsewhere: string[] = []
    page.on('request', request => request.url().startsWith(base) || elsewhere.push(request.url()))
    const script = encodeURIComponent('"><script>globalThis.ran=1</script>')
    for (const path of ['/login', `/docs/?q=${script}&${script}#${script}`])
      await page.goto(base + path, { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: 'Tillgate' }).first().waitFor()
    assert.equal(await page.evaluate('globalThis.ran'), undefined)
    assert.deepEqual(elsewhere, [])
  },
)
