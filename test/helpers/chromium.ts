import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/opt/homebrew/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The one that CHROMIUM_PATH names, or one of the usual places. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (!named) return usualPlaces.find(path => existsSync(path))
  if (existsSync(named)) return named
  throw new Error(`CHROMIUM_PATH is ${named}, where no file is; set it to a Chrome or Chromium, or unset it`)
}

/**
 * For the test set-up, before any file runs: installs Debian's Chromium where there is none and it can be done. Where it
 * cannot, nothing is said yet, because only the page tests need it.
 */
export function provideChromium(): void {
  if (process.env['CHROMIUM_PATH'] || findChromium() || process.getuid?.() !== 0 || !existsSync(aptGet))
    return
  process.stderr.write('installing Chromium for the page tests (apt-get install chromium)\n')
  const options = {
    stdio: 'ignore',
    timeout: 300_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }
  try {
    execFileSync(aptGet, ['update', '-qq'], options as object)
    execFileSync(aptGet, ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options as object)
  } catch (error) {
    process.stderr.write(`it could not be installed: ${(error as Error).message}\n`)
  }
}

const aptGet = '/usr/bin/apt-get'

/** A real browser; `env` is added to its environment. */
export async function launchChromium(env: Record<string, string> = {}): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    throw new Error(
      'the page tests need Chromium, which is not installed: run "apt-get install chromium" as root, or set CHROMIUM_PATH to the program of a Chrome or Chromium',
    )
  }
  return chromium.launch({
    executablePath,
    env: { ...(process.env as Record<string, string>), ...env },
    args: [
      // Containers often forbid the sandbox; the tests open our own pages only.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
