import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type DemoServer, startDemoServer } from '../helpers/demo-server.ts'
import { journey, signIn, visit } from '../helpers/pages.ts'

/** The merchant's pages of a month in use: which apps read which stores, and what. */

let demo: DemoServer
let base: string

before(async () => {
  demo = await startDemoServer({ orders: 120 })
  base = demo.server.base
})

after(() => demo.server.close())

const storeFilter = (page: Page) => page.getByRole('combobox', { name: 'Store', exact: true })

journey('what each app reads, by day and store, and hour by hour', async ({ page, check }) => {
  await page.goto(`${base}/account/apps`)
  await signIn(page, base, demo.merchant)
  await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor()
  await page.getByRole('heading', { name: 'Connected by your platform’s operator' }).waitFor()
  await check()

  await page.getByRole('link', { name: 'Harbour Dashboard' }).click()
  await page.getByRole('heading', { level: 1, name: 'Harbour Dashboard' }).waitFor()
  await page.getByRole('img', { name: 'Orders, by store' }).waitFor()
  await check()
  const rows = page.getByRole('table', { name: 'Stores' }).getByRole('row')
  const store = (await rows.nth(1).getByRole('rowheader').textContent()) ?? ''
  await storeFilter(page).selectOption({ label: store })
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('img', { name: `Read from ${store} in the last 30 days` }).waitFor()
  assert.equal(await page.getByRole('img', { name: 'Orders, by store' }).count(), 0)
  await page.getByText('Show as table').click()
  await page.getByRole('columnheader', { name: 'Orders' }).waitFor()
  await check()

  await page.getByRole('link', { name: 'Hour by hour' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  assert.equal(await storeFilter(page).inputValue(), new URL(page.url()).searchParams.get('store'))
  await storeFilter(page).selectOption({ label: 'All stores' })
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  assert.ok((await page.getByRole('row').count()) > 10)
  await check()

  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByText('allowed the app Harbour Dashboard').waitFor()
  await check()
})

journey('the data of a store: orders by day and number, an order, items, sales', async ({ page, check }) => {
  await page.goto(`${base}/account/stores`)
  await signIn(page, base, demo.merchant)
  await page.getByRole('heading', { level: 1, name: 'Stores' }).waitFor()
  await check()
  await page.getByRole('rowheader').first().getByRole('link').click()
  await page.getByRole('table', { name: 'Orders' }).waitFor()
  await check()
  const order = page.getByRole('rowheader').first().getByRole('link')
  const number = (await order.textContent()) ?? ''
  await page.getByLabel('Status').selectOption('Refunded')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page
    .getByRole('combobox', { name: 'Status' })
    .and(page.locator(':has(option[value="3"]:checked)'))
    .waitFor()
  await page.getByRole('searchbox', { name: 'Order number' }).fill(number)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('heading', { name: `Orders with “${number}”` }).waitFor()
  await page.getByRole('rowheader').first().getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: `Order ${number}` }).waitFor()
  await page.getByText('As the API sends it').click()
  await check()
  await page.getByRole('link', { name: /^Orders of/ }).click()
  await page.getByRole('link', { name: 'Items' }).click()
  await page.getByRole('searchbox', { name: 'Find an item' }).fill('CAPPUCCINO')
  await page.getByRole('button', { name: 'Search' }).click()
  await page
    .getByRole('rowheader', { name: /Cappuccino/ })
    .first()
    .waitFor()
  await check()
  await page.getByRole('link', { name: 'Sales' }).click()
  await page.getByRole('img', { name: /^Sold by day/ }).waitFor()
  await check()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ])
  assert.match(file.suggestedFilename(), /^sales-1001-.*\.csv$/)
})

const desktop = { size: 'desktop', scheme: 'light' } as const

test('times are the stores’ own, wherever the merchant is, with the zone named', () =>
  visit(desktop, async ({ page }) => {
    await page.goto(`${base}/account/apps/${demo.dashboard.client_id}`)
    await signIn(page, base, demo.merchant)
    const times = await page.getByRole('table', { name: 'Stores' }).getByRole('time').allTextContents()
    assert.ok(times.length > 4)
    for (const time of times) assert.match(time, /\d\d:\d\d \w[\w ]+ time$/)
    assert.doesNotMatch(times.join(), /Paris/)
  }))
