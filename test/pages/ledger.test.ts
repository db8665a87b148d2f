import assert from 'node:assert/strict'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { signWebhook } from '../../client/src/index.ts'
import { readSaved, demoFiles } from '../../src/cli/demo/saved.ts'
import { formatDatetime } from '../../src/lib/datetime.ts'
import { type Cli, createCli } from '../helpers/cli.ts'
import { type RunningDemo, startDemo } from '../helpers/demo.ts'
import { onPostgres } from '../helpers/engine.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { journey } from '../helpers/pages.ts'

/** Harbour Ledger, as `tillgate demo` brings it: the first thing that a newcomer sees working. */

let cli: Cli
let demo: RunningDemo
const merchant = 'owner@demo.example'

before(async () => {
  cli = await createCli()
  demo = await startDemo(cli, ['--orders', '400', '--days', '2'])
})

after(async () => {
  await demo.stop()
  cli.remove()
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function allow(page: Page, ...stores: string[]): Promise<void> {
  if (page.url().includes('/login')) {
    await page.getByLabel('Email').fill(merchant)
    await page.getByLabel('Password').fill(demo.password(merchant))
    await press(page, 'Sign in')
  }
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
  for (const store of stores) await page.getByRole('checkbox', { name: store, exact: true }).check()
  await press(page, 'Allow')
}

/** An order of this moment. */
const orderNow = (fields: object) => {
  const now = formatDatetime(Math.floor(Date.now() / 1000))
  return sampleOrder({ created_at: now, updated_at: now, ...fields })
}

journey(
  'connect, consent, the day’s orders, a sale that appears by itself, and the end of access',
  async ({ page, check, variant }) => {
    const order = { store_id: 1004, id: `live ${variant.size}`, order_number: `<i>${variant.size}</i>` }
    await page.goto(demo.site)
    await check()
    await page.goto(demo.line('Consent'))
    await allow(page, 'Marina Hawker House', 'Borough Bakery')
    await page.getByRole('heading', { level: 2, name: 'Sales by item' }).waitFor()
    await page.getByText(/^Live/).waitFor()
    await check()
    await page.getByRole('link', { name: 'Borough Bakery' }).click()
    await page.getByRole('heading', { level: 1, name: 'Borough Bakery' }).waitFor()
    await page.getByText(/^Live/).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Harbour Street Café' }).count(), 0, 'not allowed')

    await demo.push(orderNow(order))
    await page.getByRole('rowheader', { name: order.order_number }).waitFor()
    await page.getByText('Live: 1 new').waitFor()
    await check()
    await demo.push(orderNow({ ...order, status: 3 }))
    await page.getByRole('row').filter({ hasText: order.order_number }).getByText('refunded').waitFor()

    await page.getByRole('link', { name: 'Day before' }).click()
    await page.getByRole('link', { name: 'Today' }).waitFor()
    await check()

    await page.goto(`${demo.base}/account/apps`)
    await press(page, 'Revoke access')
    await press(page, 'Revoke access')
    await page.goto(demo.site)
    await page.getByRole('link', { name: 'Connect your stores' }).waitFor()
  },
  { onPhone: true },
)

journey('Deny, and Disconnect', async ({ page }) => {
  await page.goto(demo.line('Consent'))
  await page.getByLabel('Email').fill(merchant)
  await page.getByLabel('Password').fill(demo.password(merchant))
  await press(page, 'Sign in')
  await press(page, 'Deny')
  await page.getByRole('heading', { name: 'You did not connect your stores' }).waitFor()
  await page.getByRole('link', { name: 'Connect your stores' }).click()
  await allow(page, 'Borough Bakery')
  await press(page, 'Disconnect')
  await page.getByRole('link', { name: 'Connect your stores' }).waitFor()
  await page.goto(`${demo.base}/account/apps`)
  await page.getByRole('link', { name: 'Demo dashboard' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Harbour Ledger' }).count(), 0)
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(demo.site + path, { headers, redirect: 'manual' })

test('a callback that did not begin in this browser is refused, also with a state that another browser began', async () => {
  const begun = await get('/connect')
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state')
  const answer = `/callback?${new URLSearchParams({ code: 'x', state: state ?? '', iss: demo.base })}`
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  assert.equal((await get(answer)).status, 400, 'no session')
  assert.equal((await get(answer, { cookie: 'ledger=another' })).status, 400, 'another session')
  const otherIssuer = answer.replace(/iss=.*/, 'iss=https%3A%2F%2Fother.example')
  assert.equal((await get(otherIssuer, { cookie })).status, 400, 'another issuer')
  assert.equal((await get(answer, { cookie })).status, 400, 'a state works once')
})

test('another host name leads to the site’s own; a stranger gets no events and no orders', async () => {
  const { port } = new URL(demo.site)
  const other = await fetch(`http://127.0.0.1:${port}/connect`, { redirect: 'manual' })
  assert.equal(other.headers.get('location'), `${demo.site}/connect`)
  assert.equal((await get('/events?store=1004')).status, 204)
  assert.doesNotMatch(await (await get('/?store=1004')).text(), /Borough/)
})

test('a webhook without a valid signature is refused', async () => {
  // For PostgreSQL it is in the folder where the demo runs.
  const { saved: file } = demoFiles(cli.database)
  const saved = readSaved(onPostgres ? join(cli.folder, relative('.', file)) : file)
  const body = '{"type":"webhook.test","timestamp":"2026-11-16T00:00:00Z","data":{}}'
  const post = async (secret: string, timestamp: number, sent = body) => {
    const headers = await signWebhook({ secret, id: 'msg_1', timestamp, body })
    return (await fetch(`${demo.site}/webhooks`, { method: 'POST', headers, body: sent })).status
  }
  const now = Math.floor(Date.now() / 1000)
  const secret = saved?.webhook?.secret ?? ''
  assert.equal(await post(secret, now), 204)
  assert.equal(await post(`whsec_${Buffer.alloc(24).toString('base64')}`, now), 400, 'another secret')
  assert.equal(await post(secret, now, `${body} `), 400, 'another body')
  assert.equal(await post(secret, now - 3600), 400, 'an old one')
  assert.equal(await post(secret, now, 'x'.repeat(70_000)), 413, 'a long one')
})
