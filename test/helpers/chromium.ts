import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const installed = (): string | undefined => usualPlaces.find(path => existsSync(path))

/** A real browser: the one that CHROMIUM_PATH names, one of the usual places, or Debian's, installed now. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? installed() ?? install()
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

function install(): string {
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'ignore',
    })
  } catch {
    // Not Debian, or not root; the line below says what to do.
  }
  const path = installed()
  if (path !== undefined) return path
  throw new Error(
    'the page tests need Chromium: run "apt-get install chromium" as root, or set CHROMIUM_PATH to a Chrome or Chromium',
  )
}
