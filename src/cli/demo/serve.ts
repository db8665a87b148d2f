import type { Config } from '../../config.ts'
import { localAddress } from '../../lib/address.ts'
import { serve } from '../../main.ts'
import { hasLedger, ledgerAddress, ledgerSite, runLedger } from './ledger.ts'
import { startLive } from './live.ts'
import type { OpenedDemo } from './open.ts'
import { saveEnd } from './saved.ts'

interface ServeOptions {
  base_url: string
  live: boolean
  /** The example app takes any free port. */
  anyPort: boolean
  /** Called before the server listens, with the address of the example app; null where it is not installed. */
  show(site: string | null): void
}

/** Serves the demo with the example app and, with `live`, tills that sell. */
export async function serveDemo(demo: OpenedDemo, config: Config, options: ServeOptions): Promise<void> {
  const { base_url, anyPort, show } = options
  const ledger = hasLedger ? await runLedger(demo, { base_url, anyPort }) : null
  const address = localAddress(config.host, config.port)
  const live = options.live ? startLive(demo.saved, address, until => saveEnd(demo.files.saved, until)) : null
  try {
    show(ledger && ledgerSite(ledger.port))
    // Not in a sandbox, where strangers register webhooks: they would reach every service of this machine.
    const own = ledger && !config.sandbox ? ledgerAddress : ''
    const webhook_allow = [config.webhook_allow, own].filter(text => text !== '').join(',')
    await serve({ ...config, webhook_allow })
  } finally {
    await live?.stop()
    await ledger?.stop()
  }
}
