import cluster from 'node:cluster'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { localAddress, settlePort } from './lib/address.ts'
import { systemClock } from './lib/clock.ts'
import { openStorage } from './storage/open.ts'
import { warningsOf } from './warnings.ts'
import { superviseWorkers } from './workers.ts'

/** How often expired tokens, requests for consent, sessions and counters are swept out. */
const sweepEvery = 60_000

/** Serves until the process is told to stop, in one process or in several. */
export async function serve(config: Config): Promise<void> {
  // The issuer names the port, so port 0 must become a number before anything is built.
  const port = await settlePort(config.host, config.port)
  const issuer = config.base_url ?? localAddress(config.host, port)
  const ready = () => console.log(`Tillgate is ready at ${issuer}`)
  if (cluster.isWorker) {
    // The channel to the first process would keep this one alive when all is done.
    return serveHere({ ...config, port }, issuer, () => {}).finally(() => process.disconnect())
  }
  if (config.workers === 1) return serveHere({ ...config, port }, issuer, ready)
  // Migrated before the workers start, so that they need not race for it.
  const storage = await openStorage(config.database, config)
  await storage.close()
  const env = { PORT: String(port), TILLGATE_BASE_URL: issuer }
  return superviseWorkers(config.workers, env, { ready, stop: stopSignal() })
}

/** config → storage → app → listen → close */
async function serveHere(config: Config, issuer: string, ready: () => void): Promise<void> {
  const stop = stopSignal()
  const clock = systemClock
  const storage = await openStorage(config.database, {
    ...config,
    // Said of the replica, which is met with the first list: the app is there by then.
    notice: (text, error) => (error ? app.log.warn({ err: error }, text) : app.log.info(text)),
  })
  const app = await buildApp({ storage, clock, config, issuer })
  const sweep = setInterval(() => {
    storage.purge(clock.now()).catch(error => app.log.warn({ err: error }, 'sweeping expired data failed'))
  }, sweepEvery)
  try {
    await app.listen({ host: config.host, port: config.port })
    ready()
    for (const warning of warningsOf(config, issuer)) app.log.warn(warning)
    app.log.info({ signal: await stop }, 'stopping; requests in flight finish first')
  } finally {
    clearInterval(sweep)
    await app.close()
    await storage.close()
  }
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
