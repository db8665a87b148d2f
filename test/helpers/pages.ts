import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { password } from './answers.ts'
import { skeleton } from './skeleton.ts'

/** Journeys through the pages in a real browser: a file shares one browser, and each journey has a context of its own. */

let browser: Promise<Browser> | null = null
// Here, where it belongs to the whole file.
after(async () => (await browser)?.close())

export const sharedBrowser = (): Promise<Browser> => {
  browser ??= launchChromium()
  return browser
}

const sizes = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} satisfies Record<string, BrowserContextOptions>

export interface Variant {
  size: keyof typeof sizes
  scheme: 'light' | 'dark'
}

const desktop: Variant = { size: 'desktop', scheme: 'dark' }
const phone: Variant = { size: 'phone', scheme: 'light' }

export interface Visit {
  page: Page
  variant: Variant
  /** Checks the page as it is now: axe, sideways scrolling down to 360 px, and the console. The gallery has both schemes. */
  check(): Promise<void>
}

interface VisitOptions extends BrowserContextOptions {
  /** Console errors that the journey means to cause, such as the 422 of a form. */
  expected?: RegExp
}

/** By their options. A new context starts a renderer, and that compiles axe anew: most of the time of a short journey. */
const idle = new Map<string, Page>()

async function openPage(options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify(options)
  const page = idle.get(key)
  if (page) {
    idle.delete(key)
    return page
  }
  const context = await (await sharedBrowser()).newContext(options)
  context.setDefaultTimeout(60_000)
  return context.newPage()
}

/** Keeps a page for the next journey with the same options, without anything of this one. */
async function putBack(page: Page, options: BrowserContextOptions): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll()
  if (page.url() !== 'about:blank') await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.goto('about:blank')
  await page.context().clearCookies()
  idle.set(JSON.stringify(options), page)
}

/** Opens a page, lets `walk` go its way, and fails on anything that the console complained about. */
export async function visit(
  variant: Variant,
  walk: (visit: Visit) => Promise<void>,
  { expected, ...options }: VisitOptions = {},
): Promise<void> {
  const settings: BrowserContextOptions = {
    ...sizes[variant.size],
    colorScheme: variant.scheme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Paris',
    ...options,
  }
  const page = await openPage(settings)
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !expected?.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  const check = async (): Promise<void> => {
    await assertAccessibleOnce(page, variant)
    await assertFits(page)
    assert.deepEqual(complaints, [], `the console of ${page.url()}`)
  }
  try {
    await walk({ page, variant, check })
    assert.deepEqual(complaints, [], 'the console')
  } catch (error) {
    await page.context().close()
    throw error
  }
  await putBack(page, settings)
}

/**
 * A journey on a desktop, whose checks look at the width of a phone too. `onPhone`: also with the touch screen and the
 * pixels of a phone, where the layout is what the journey is about.
 */
export function journey(
  title: string,
  walk: (visit: Visit) => Promise<void>,
  { onPhone = false, ...options }: VisitOptions & { onPhone?: boolean } = {},
): void {
  for (const variant of onPhone ? [desktop, phone] : [desktop]) {
    test(`${title} (${variant.size}, ${variant.scheme})`, () => visit(variant, walk, options))
  }
}

const checked = new Set<string>()

/** Most of a journey's time goes to axe: it looks at each page of a kind once in each scheme. */
async function assertAccessibleOnce(page: Page, { scheme }: Variant): Promise<void> {
  const seen = `${scheme} ${await page.evaluate(skeleton)}`
  if (checked.has(seen)) return
  await assertAccessible(page)
  checked.add(seen)
}

/** The API reference moves and colours its parts in transitions while it loads: waits until the last has ended. */
export async function settled(page: Page): Promise<void> {
  while ((await page.evaluate('document.getAnimations().length')) !== 0);
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary?: string }[]
}

/** The minified one: the browser parses it anew on every page. */
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** WCAG 2.2 AA as far as axe can tell. The debugger evaluates it, so the page's content security policy does not apply. */
export async function assertAccessible(page: Page): Promise<void> {
  if (await page.evaluate('!window.axe')) await page.evaluate(axe)
  const runOnly = { type: 'tag', values: tags }
  const options = { runOnly, resultTypes: ['violations'], preload: false }
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const { violations } = (await page.evaluate(run)) as { violations: Violation[] }
  const told = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
  )
  assert.deepEqual(told, [], `axe at ${page.url()}`)
}

/** Nothing scrolls sideways, as the page stands and at 360 px (WCAG 1.4.10 asks for 320 px at four times the size). */
export async function assertFits(page: Page): Promise<void> {
  const before = page.viewportSize()
  for (const width of new Set([before?.width ?? 1280, 360])) {
    await page.setViewportSize({ width, height: before?.height ?? 800 })
    const overflow = (await page.evaluate(wideElements)) as string[]
    assert.deepEqual(overflow, [], `wider than ${width} px at ${page.url()}`)
  }
  if (before) await page.setViewportSize(before)
}

/** Where the page scrolls sideways: the elements that stand out. */
const wideElements = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const out = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > clientWidth + 1)
  return [scrollWidth + ' px', ...out.slice(0, 5).map(e => e.outerHTML.slice(0, 160))]
})()`

/** By the keyboard alone: Tab until the element has the focus, which must be seen. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    if (await target.evaluate(element => element === element.ownerDocument.activeElement)) {
      const outline = await target.evaluate(element => {
        const { outlineStyle, outlineWidth } = element.ownerDocument.defaultView.getComputedStyle(element)
        return `${outlineStyle} ${outlineWidth}`
      })
      assert.match(outline, /^(solid|auto) [1-9]/, `the focus on ${target} is not seen`)
      return
    }
    await page.keyboard.press('Tab')
  }
  assert.fail(`${target} is not reached by Tab`)
}

/** Signs in on the page that asks for it, or opens it. */
export async function signIn(page: Page, base: string, email: string): Promise<void> {
  if (!page.url().startsWith(`${base}/login`)) await page.goto(`${base}/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
