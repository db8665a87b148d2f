import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's browser without windows: the same pages take it two thirds of the CPU time. */
const headlessShell = '/usr/bin/chromium-headless-shell'
const usualPlaces = [
  headlessShell,
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
 * For the test set-up, before any file runs: installs a Chromium of Debian where it can be done, and its small variant
 * beside a large one where that takes no list of packages. Where it cannot, nothing is said yet, because only the page
 * tests need it.
 */
export function provideChromium(): void {
  const found = findChromium()
  if (process.env['CHROMIUM_PATH'] || found === headlessShell) return
  if (process.getuid?.() !== 0 || !existsSync(aptGet)) return
  const small = ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell']
  if (runApt(small) || found) return
  process.stderr.write('installing Chromium for the page tests (apt-get)\n')
  runApt(['update', '-qq'])
  if (!runApt(small) && !runApt([...small.slice(0, -1), 'chromium'])) {
    process.stderr.write('it could not be installed\n')
  }
}

const aptGet = '/usr/bin/apt-get'

function runApt(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const limits = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20']
  return spawnSync(aptGet, [...limits, ...args], { stdio: 'ignore', timeout: 300_000, env }).status === 0
}

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
      // One renderer for all sites: what separates them for the tests is the browser's rules, not its processes.
      '--renderer-process-limit=1',
      '--disable-site-isolation-trials',
      '--disable-features=IsolateOrigins,site-per-process',
    ],
  })
}
