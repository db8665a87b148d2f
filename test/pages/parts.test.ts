import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { assets } from '../../src/console/assets/assets.ts'
import { readFields } from '../../src/console/fields.ts'
import { noBrand } from '../../src/domain/brand/brand.ts'
import { securityHeaders } from '../../src/console/security-headers.ts'
import { sendHtml } from '../../src/console/send-html.ts'
import { journey, tabTo, visit } from '../helpers/pages.ts'
import { galleryPage } from './gallery.ts'

/** The parts that all pages are made of, each in all its states, under the policy of every page. */

// The browser keeps connections open that it has not used yet, which a close would wait for.
const app = Fastify({ forceCloseConnections: true })
let base: string

before(async () => {
  app.setValidatorCompiler(readFields)
  await app.register(assets)
  app.decorate('brand', { current: () => noBrand })
  app.get('/gallery', async (_request, reply) => sendHtml(reply.headers(securityHeaders()), galleryPage()))
  base = await app.listen({ host: '127.0.0.1', port: 0 })
})

after(() => app.close())

journey(
  'every part is accessible and fits',
  async ({ page, check }) => {
    await page.goto(`${base}/gallery`)
    await check()
    for (const summary of await page.getByText('Show as table').all()) await summary.click()
    await page.getByRole('columnheader', { name: 'p99' }).waitFor()
    await check()
  },
  { onPhone: true },
)

const desktop = { size: 'desktop', scheme: 'light' } as const

test('Copy puts the whole value into the clipboard and says so', () =>
  visit(
    desktop,
    async ({ page }) => {
      await page.goto(`${base}/gallery`)
      await page.getByRole('button', { name: 'Copy client_secret' }).click()
      await page.getByText('Copied').waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'hX2'.repeat(14))
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ))

test('times are in the viewer’s zone, which is named; UTC is in the title', () =>
  visit(desktop, async ({ page }) => {
    await page.goto(`${base}/gallery`)
    const time = page.getByRole('table', { name: 'Requests' }).getByRole('time').first()
    assert.equal(await time.textContent(), '1 Nov 2026, 13:03:20')
    assert.equal(await time.getAttribute('title'), '2026-11-01 12:03:20 UTC')
    await page.getByRole('columnheader', { name: 'When Europe/Paris' }).waitFor()
    // A store's time is the store's, wherever the viewer is.
    await page.getByText('1 Nov 2026, 23:00 Sydney time').waitFor()
  }))

test('a long list of checkboxes is narrowed by typing; All and None mean what is shown; Enter sends nothing', () =>
  visit(desktop, async ({ page }) => {
    await page.goto(`${base}/gallery`)
    const ticked = () => page.getByRole('checkbox', { checked: true }).count()
    assert.equal(await page.getByRole('checkbox').count(), 12)
    await page.getByText('4 of 12 picked').waitFor()
    await page.getByRole('searchbox', { name: 'Find a store' }).fill('STORE 1')
    assert.equal(await page.getByRole('checkbox').count(), 3, 'Store 1, 10 and 11')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByText('7 of 12 picked, 3 shown').waitFor()
    await page.getByRole('searchbox', { name: 'Find a store' }).press('Enter')
    assert.equal(new URL(page.url()).pathname, '/gallery')
    await page.getByRole('searchbox', { name: 'Find a store' }).fill('')
    assert.equal(await ticked(), 7)
    await page.getByRole('button', { name: 'None', exact: true }).click()
    assert.equal(await ticked(), 0)
  }))

test('without script: all is there, in UTC, and nothing is offered that would not work', () =>
  visit(
    desktop,
    async ({ page }) => {
      await page.goto(`${base}/gallery`)
      assert.equal(await page.getByRole('checkbox').count(), 12)
      assert.equal(await page.getByRole('button', { name: 'All', exact: true }).count(), 0)
      assert.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0)
      await page.getByRole('columnheader', { name: 'When UTC' }).waitFor()
      await page.getByText('1 Nov 2026, 12:03:20').waitFor()
      // One click selects the whole secret.
      await page.getByText('hX2'.repeat(14)).click()
      assert.equal(await page.evaluate('String(getSelection())'), 'hX2'.repeat(14))
    },
    { javaScriptEnabled: false },
  ))

test('by keyboard: the skip link comes first and leads past the navigation; the focus is always seen', () =>
  visit(desktop, async ({ page }) => {
    await page.goto(`${base}/gallery`)
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await tabTo(page, skip)
    assert.ok(await skip.isVisible())
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Apps', exact: true }))
    for (const target of [
      page.getByRole('link', { name: 'Create an app' }).first(),
      page.getByText('Show as table').first(),
      page.getByRole('searchbox', { name: 'Request id' }),
      page.getByRole('button', { name: 'Search', exact: true }),
      page.getByRole('checkbox').first(),
      page.getByRole('button', { name: 'Revoke access' }),
    ]) {
      await tabTo(page, target)
    }
  }))
