import type { Page } from 'playwright-core'
import { ledgerProfile } from '../../src/cli/demo/fill.ts'
import { ledgerSite, startLedger } from '../../src/cli/demo/ledger.ts'
import { laterOrders } from '../../src/demo/live/later.ts'
import type { DemoServer } from '../../test/helpers/demo-server.ts'
import { freePort } from '../../test/helpers/ports.ts'

/** Harbour Ledger on a busy day of the demo, connected by the merchant. */
export async function openLedger(page: Page, demo: DemoServer): Promise<void> {
  site ??= start(demo)
  const { address } = await site
  await page.goto(`${address}/connect`)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const day = new Date(demo.server.clock.now() * 1000).toISOString().slice(0, 10)
  await page.goto(`${address}/?store=1001&day=${day}`)
  await page.getByText('Live: new orders appear by themselves').waitFor()
}

interface LedgerSite {
  address: string
  stop(): Promise<unknown>
}

let site: Promise<LedgerSite> | null = null

export async function closeLedger(): Promise<void> {
  await (await site)?.stop()
}

async function start({ server }: DemoServer): Promise<LedgerSite> {
  const end = server.clock.now()
  // Ten times the demo's orders, for one day.
  const options = { stores: 6, orders: 6000, days: 30, seed: 1, end: end - 86_400 }
  await server.push(...laterOrders(options, options.end, end))
  const port = await freePort()
  const redirect_uris = [`${ledgerSite(port)}/callback`]
  const { client_id, client_secret } = await server.newApp({ ...ledgerProfile, redirect_uris })
  const { stop } = await startLedger({
    base_url: server.base,
    client_id,
    client_secret,
    // No webhooks here.
    webhook_secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    port,
    database: ':memory:',
  })
  return { address: ledgerSite(port), stop }
}
