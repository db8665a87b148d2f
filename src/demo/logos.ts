import { readFileSync } from 'node:fs'

/** The logos of the demo's apps, as PNG. */
export const demoLogo = (app: 'dashboard' | 'ledger'): Buffer =>
  readFileSync(new URL(`./logos/${app}.png`, import.meta.url))
