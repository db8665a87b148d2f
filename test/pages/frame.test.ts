import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DemoServer, startDemoServer } from '../helpers/demo-server.ts'
import { assertAccessible, assertFits, journey, settled, signIn, tabTo, visit } from '../helpers/pages.ts'
import { password } from '../helpers/answers.ts'

/** What all pages share: signing in and out, the sections of each role, messages. */

let demo: DemoServer
let base: string

before(async () => {
  demo = await startDemoServer({ orders: 60 })
  base = demo.server.base
})

after(() => demo.server.close())

const refusals = /status of (401|403|404)/

journey(
  'the own account: password, two-factor authentication, sessions',
  async ({ page, check }) => {
    await signIn(page, base, demo.merchant)
    await page.getByRole('link', { name: demo.merchant }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await check()
    await page.getByRole('link', { name: 'Set up two-factor authentication' }).click()
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor()
    await check()
    await page.goto(`${base}/profile/password`)
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill('another good password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').getByText('This is not your current password').waitFor()
    await check()
  },
  { expected: /status of 422/, onPhone: true },
)

journey(
  'sign in: refused with words, then let in; signed out again',
  async ({ page, check }) => {
    await page.goto(`${base}/login`)
    await check()
    await page.getByLabel('Email').fill(demo.merchant)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Wrong email or password').waitFor()
    assert.equal(await page.getByLabel('Email').inputValue(), demo.merchant)
    await check()
    await signIn(page, base, demo.merchant)
    await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor()
    await page.getByText(demo.merchant).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.goto(`${base}/account/apps`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  },
  { expected: refusals, onPhone: true },
)

journey(
  'the guides lead from one to the next, and to the API reference, which is accessible too',
  async ({ page, variant, check }) => {
    await page.goto(`${base}/docs/guides`)
    await check()
    await page.getByRole('link', { name: 'Getting started in 10 minutes' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Getting started in 10 minutes' }).waitFor()
    await check()
    await page.getByRole('link', { name: 'Errors and retries' }).last().click()
    await page.getByRole('heading', { level: 1, name: 'Errors and retries' }).waitFor()
    await check()
    const reference = page.getByRole('link', { name: 'API reference' })
    assert.equal(await reference.getAttribute('href'), '/docs')
    // The reference takes the browser seconds, and its layout is not ours.
    if (variant.size === 'phone') return
    await reference.click()
    const link = page.getByRole('link', { name: 'Getting started in 10 minutes' }).first()
    assert.equal(await link.getAttribute('href'), `${base}/docs/guides/getting-started`)
    await page.getByText('List stores').first().waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await settled(page)
    await assertAccessible(page)
  },
  { onPhone: true },
)

journey(
  'a page that does not exist says so in the same frame',
  async ({ page, check }) => {
    await page.goto(`${base}/nothing`)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await check()
  },
  { expected: refusals },
)

test('by keyboard alone, without script: sign in, see the own sections, sign out', () =>
  visit(
    { size: 'desktop', scheme: 'light' },
    async ({ page }) => {
      await page.goto(`${base}/login`)
      await tabTo(page, page.getByLabel('Email'))
      await page.keyboard.type(demo.developer)
      await tabTo(page, page.getByLabel('Password'))
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'My apps' }).waitFor()
      const sections = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      assert.deepEqual(await sections.allTextContents(), ['My apps', 'API reference'])
      assert.equal(await sections.first().getAttribute('aria-current'), 'page')
      await tabTo(page, page.getByRole('button', { name: 'Sign out' }))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    },
    { javaScriptEnabled: false },
  ))

test('the checks themselves find what is wrong', () =>
  visit({ size: 'desktop', scheme: 'light' }, async ({ page }) => {
    await page.setContent(
      '<main><h1>x</h1><input><pre>0123456789012345678901234567890123456789012345678901234567890123</pre>',
    )
    await assert.rejects(assertAccessible(page), /label: Form elements must have labels/)
    await assert.rejects(assertFits(page), /wider than 360 px/)
    await page.setContent(
      '<html lang="en"><title>x</title><main><h1>x</h1><p style="color:#ccc">faint</p></main>',
    )
    await assert.rejects(assertAccessible(page), /color-contrast/)
    await page.setContent('<a href="#" style="outline:0">unseen</a>')
    await assert.rejects(tabTo(page, page.getByText('unseen')), /is not seen/)
  }))

test('the console is listened to', async () => {
  const complaining = visit({ size: 'desktop', scheme: 'light' }, async ({ page }) => {
    await page.goto(`${base}/login`)
    await page.evaluate("document.body.setAttribute('style', 'color: red')")
  })
  await assert.rejects(complaining, /Content Security Policy/)
})
