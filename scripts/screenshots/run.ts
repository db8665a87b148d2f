import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { launchChromium } from '../../test/helpers/chromium.ts'
import { startDemoServer } from '../../test/helpers/demo-server.ts'
import { password } from '../../test/helpers/answers.ts'
import { closeLedger } from './ledger.ts'
import { type Shot, shots } from './pages.ts'

// `npm run screenshots [name …]`: pictures of the pages of a demo that is the same every time, into docs/images.

const images = new URL('../../docs/images/', import.meta.url)

const desktop = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const
const phone = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'light',
  isMobile: true,
  hasTouch: true,
} as const

const wanted = process.argv.slice(2)
const picked = shots.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const unknown = wanted.filter(name => !shots.some(shot => shot.name === name))
if (unknown.length > 0)
  throw new Error(`no page is called ${unknown.join(', ')}; see scripts/screenshots/pages.ts`)

await mkdir(images, { recursive: true })
const demo = await startDemoServer()
// The machine's own font would make the pictures of every machine different.
const fonts = fileURLToPath(new URL('fonts.conf', import.meta.url))
const browser = await launchChromium({ FONTCONFIG_FILE: fonts })
try {
  for (const shot of picked) {
    await take(shot, '', desktop)
    if (shot.phone) await take(shot, '-phone', phone)
    if (shot.dark) await take(shot, '-dark', { ...desktop, colorScheme: 'dark' })
  }
} finally {
  await browser.close()
  await closeLedger()
  await demo.server.close()
}

async function take(shot: Shot, suffix: string, options: BrowserContextOptions): Promise<void> {
  const context = await browser.newContext({
    ...options,
    baseURL: demo.server.base,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  if (shot.as) {
    await page.goto('/login')
    await page.getByLabel('Email').fill(demo[shot.as])
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }
  if (typeof shot.open === 'string') await page.goto(shot.open)
  else await shot.open(page, demo)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const path = fileURLToPath(new URL(`${shot.name}${suffix}.png`, images))
  await page.screenshot({ path, fullPage: !shot.screen, animations: 'disabled', caret: 'hide' })
  console.log(path)
  await context.close()
}
