import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { authorizePath } from '../helpers/authorize.ts'
import { type DemoServer, startDemoServer } from '../helpers/demo-server.ts'
import { signIn, visit } from '../helpers/pages.ts'

/** Every page at the widths of phones, tablets and screens: nothing sticks out, is off centre or breaks a word. */

const widths = [360, 530, 600, 768, 1024, 1280, 1920]

let demo: DemoServer
let base: string

before(async () => {
  demo = await startDemoServer({ orders: 120 })
  base = demo.server.base
})

after(() => demo.server.close())

/** What is wrong with the page at its width, in words. */
const measured = `(() => {
  const problems = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) problems.push('the page is ' + scrollWidth + ' px wide')
  const main = document.querySelector('main')
  const { left, right } = main.getBoundingClientRect()
  if (Math.abs(left - (clientWidth - right)) > 2) problems.push('main is at ' + left + ' to ' + right)
  for (const card of document.querySelectorAll('.card, .notice, .empty')) {
    for (const part of card.querySelectorAll('table, form, dl, figure, h2, p')) {
      // The table of a chart scrolls within its own box.
      if (part.closest('details')) continue
      const past = part.getBoundingClientRect().right - card.getBoundingClientRect().right
      if (past > 1) problems.push(part.outerHTML.slice(0, 80) + ' is ' + Math.round(past) + ' px past its card')
    }
  }
  const skipped = 'svg, details, .visually-hidden, .block, .sent, .breaks, .top, select, textarea, script, [hidden]'
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (texts.nextNode()) {
    const text = texts.currentNode
    if (text.parentElement.closest(skipped)) continue
    // A line may end behind a hyphen or a slash.
    for (const { 0: word, index } of text.data.matchAll(/[^\\s\\u200b\\-\\/–—]+[\\-\\/–—]?/g)) {
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const rects = [...range.getClientRects()].filter(rect => rect.width > 0)
      const lines = new Set(rects.map(rect => Math.round(rect.top / 4)))
      if (lines.size < 2) continue
      const block = text.parentElement.closest('td, th, dd, li, p, h1, h2, h3, legend, label, main')
      const style = getComputedStyle(block)
      const room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
      // An id with hyphens that does not fit as a whole may break anywhere.
      const before = text.data.slice(0, index).match(/\\S*$/)[0].length
      const behind = text.data.slice(index).match(/^\\S*/)[0].length
      range.setStart(text, index - before)
      range.setEnd(text, index + behind)
      const width = [...range.getClientRects()].reduce((sum, rect) => sum + rect.width, 0)
      // In a table the columns share the room, so a word that does not fit in one is the table's fault.
      if (width <= room || style.display === 'table-cell') problems.push('"' + word + '" is broken')
    }
  }
  return [...new Set(problems)].slice(0, 8)
})()`

async function assertWidths(page: Page, path: string): Promise<string[]> {
  if (path !== '') await page.goto(base + path)
  const problems: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const found = (await page.evaluate(measured)) as string[]
    problems.push(...found.map(problem => `${path || page.url()} at ${width} px: ${problem}`))
  }
  return problems
}

const app = () => demo.dashboard.client_id

const pages: Record<string, (demo: DemoServer) => string[]> = {
  nobody: () => ['/', '/login', '/signup', '/nothing'],
  merchant: () => [
    '/account/apps',
    `/account/apps/${app()}`,
    `/account/apps/${app()}/stores`,
    `/account/apps/${app()}/revoke`,
    '/account/stores',
    '/account/stores/1001/orders',
    '/account/stores/1001/orders?q=0001',
    '/account/stores/1001/order?id=1001-20261101-0001',
    '/account/stores/1001/items',
    '/account/stores/1001/sales',
    '/account/activity',
    '/account/activity/account',
    authorizePath(demo.loyalty),
    authorizePath(demo.dashboard),
  ],
  developer: () => [
    '/developer/apps',
    '/developer/apps/new',
    `/developer/apps/${app()}`,
    `/developer/apps/${app()}/connect`,
    `/developer/apps/${app()}/edit`,
    `/developer/apps/${app()}/logo`,
    `/developer/apps/${app()}/requests`,
    `/developer/apps/${app()}/requests?errors=yes`,
    `/developer/apps/${app()}/activity`,
    `/developer/apps/${app()}/webhooks`,
    `/developer/apps/${app()}/rotate`,
    `/developer/apps/${app()}/disable`,
  ],
  operator: () => [
    '/operator',
    '/operator/accounts',
    '/operator/apps',
    `/operator/apps/${app()}`,
    `/operator/apps/${app()}/revoke`,
    '/operator/stores',
    '/operator/stores/1001',
    '/operator/stores/1001/orders',
    '/operator/audit',
    '/operator/settings',
    '/operator/settings/brand',
  ],
}

for (const [who, paths] of Object.entries(pages)) {
  test(`the pages of ${who === 'nobody' ? 'people who are not signed in' : `a ${who}`}`, () =>
    visit(
      { size: 'desktop', scheme: 'light' },
      async ({ page }) => {
        if (who !== 'nobody') {
          await signIn(page, base, demo[who as 'merchant' | 'developer' | 'operator'])
          await page.getByRole('button', { name: 'Sign out' }).waitFor()
        }
        const problems: string[] = []
        for (const path of paths(demo)) problems.push(...(await assertWidths(page, path)))
        assert.deepEqual(problems, [])
      },
      { expected: /status of 404/ },
    ))
}

test('the measure finds what is wrong', () =>
  visit({ size: 'desktop', scheme: 'light' }, async ({ page }) => {
    await page.setContent(
      '<main style="width:300px"><section class="card" style="width:200px"><p style="width:250px">x</p><p style="width:70px;word-break:break-all">aaaaaa bbbbbb</p></section></main>',
    )
    await page.setViewportSize({ width: 800, height: 600 })
    const found = (await page.evaluate(measured)) as string[]
    assert.match(found.join('\n'), /main is at/)
    assert.match(found.join('\n'), /px past its card/)
    assert.match(found.join('\n'), /"\w+" is broken/)
    await page.setContent('<main style="width:2000px">x</main>')
    assert.match(((await page.evaluate(measured)) as string[]).join('\n'), /px wide/)
  }))
