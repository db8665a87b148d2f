import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { createApps } from '../../domain/apps/apps.ts'
import { createAddressRules } from '../../domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../domain/webhooks/endpoints.ts'
import { assertFree, settlePort } from '../../lib/address.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/port/index.ts'
import { byCommand, withStorage } from '../shared/command.ts'
import { ledgerProfile } from './fill.ts'
import type { OpenedDemo } from './open.ts'
import { type SavedDemo, writeSaved } from './saved.ts'

/** Harbour Ledger, the example app that the demo brings (examples/ledger). */

/** Where webhooks reach it: the only address besides the public ones that the demo's server may call. */
export const ledgerAddress = '127.0.0.1'
const usualPort = 8090

/** Another host name than the server's, because cookies do not tell ports apart. */
export const ledgerSite = (port: number): string => `http://localhost:${port || usualPort}`

/** Registers the app for the port that it gets, and starts it. */
export async function runLedger(
  { saved, files }: OpenedDemo,
  { base_url, anyPort }: { base_url: string; anyPort: boolean },
): Promise<{ port: number; stop(): Promise<unknown> }> {
  const port = await choosePort(saved.port, anyPort)
  const registered = await withStorage(storage => register(storage, saved, port))
  writeSaved(files.saved, registered)
  const { stop } = await startLedger({
    ...registered.filled.ledger,
    webhook_secret: registered.webhook?.secret ?? '',
    base_url,
    port,
    database: files.ledger,
  })
  return { port, stop }
}

/** The last port if it is free, the usual one, or any. */
async function choosePort(last: number, any: boolean): Promise<number> {
  for (const port of any ? [] : [last || usualPort, usualPort]) {
    const isFree = await assertFree(ledgerAddress, port).then(
      () => true,
      () => false,
    )
    if (isFree) return port
  }
  return settlePort(ledgerAddress, 0)
}

/** Registers the redirect URI and the webhook endpoint for this port, if they are others. */
async function register(storage: Storage, saved: SavedDemo, port: number): Promise<SavedDemo> {
  const { client_id } = saved.filled.ledger
  const apps = createApps({ storage, clock: systemClock })
  const redirect_uris = [`${ledgerSite(port)}/callback`]
  const app = await apps.find(client_id)
  if (String(app?.redirect_uris) !== String(redirect_uris)) {
    await apps.change(client_id, { ...ledgerProfile, redirect_uris }, byCommand())
  }
  const rules = createAddressRules(ledgerAddress)
  const endpoints = createWebhookEndpoints({ storage, clock: systemClock, rules })
  const url = `http://${ledgerAddress}:${port}/webhooks`
  const known = (await endpoints.list(client_id)).find(({ id }) => id === saved.webhook?.id)
  if (known?.url === url) {
    await endpoints.setDisabled(known.id, false, byCommand())
    return { ...saved, port }
  }
  if (known) await endpoints.remove(known.id, byCommand())
  const { id, secret } = await endpoints.create({ app_id: client_id, url, events: [] }, byCommand())
  return { ...saved, port, webhook: { id, secret } }
}

const at = (path: string): URL => new URL(path, import.meta.url)

/** A clone runs its source; the npm package has it compiled, with the client inside; the container image has no client. */
const entry = existsSync(at('../../../client/src/index.ts'))
  ? at('../../../examples/ledger/main.ts')
  : [at('../../ledger/main.js')].find(existsSync)

export const hasLedger = entry !== undefined

export interface LedgerSettings {
  base_url: string
  client_id: string
  client_secret: string
  webhook_secret: string
  port: number
  /** Its SQLite file. */
  database: string
}

/** Runs it in a thread, which ends with the process however that ends. Rejects when it cannot listen. */
export async function startLedger(settings: LedgerSettings): Promise<{ stop(): Promise<unknown> }> {
  if (!entry) throw new Error('the example app is not installed')
  const worker = new Worker(entry, {
    env: {
      PORT: String(settings.port),
      TILLGATE_URL: settings.base_url,
      TILLGATE_CLIENT_ID: settings.client_id,
      TILLGATE_CLIENT_SECRET: settings.client_secret,
      WEBHOOK_SECRET: settings.webhook_secret,
      LEDGER_DATABASE: settings.database,
    },
    // The client package of a clone is not compiled.
    execArgv: ['--conditions=tillgate-source'],
    stdout: true,
  })
  await new Promise<void>((resolve, reject) => {
    // Its first line says that it is ready.
    worker.stdout.once('data', () => resolve())
    worker.once('error', reject)
  })
  worker.unref()
  return { stop: () => worker.terminate() }
}
