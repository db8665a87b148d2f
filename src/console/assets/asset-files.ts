import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sha256 } from '../../lib/hash.ts'

const require = createRequire(import.meta.url)
const here = (name: string): URL => new URL(name, import.meta.url)

const css = 'text/css; charset=utf-8'

/** Read once, because they change with a release only. */
export const assetFiles = {
  '/assets/pico.css': asset(css, require.resolve('@picocss/pico/css/pico.min.css')),
  '/assets/console.css': asset(css, here('./console.css')),
  '/assets/reference.css': asset(css, here('./reference.css')),
  '/assets/console.js': asset('text/javascript; charset=utf-8', here('./console.js')),
  // Browsers request the icon at this address by default, so the API reference has it too.
  '/favicon.ico': asset('image/svg+xml', here('./icon.svg')),
}

function asset(type: string, file: string | URL) {
  const body = readFileSync(file)
  return { type, body, version: sha256(body.toString()).slice(0, 12) }
}

/** An address that changes with the content, so that browsers can cache the file for good. */
export const assetAddress = (path: keyof typeof assetFiles): string => `${path}?v=${assetFiles[path].version}`
