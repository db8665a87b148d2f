import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { buildApp } from './server/app.ts'
import type { Config } from './config.ts'
import { assertFree, localAddress, settlePort } from './lib/address.ts'
import { createIngestPool } from './ingest/threads/pool.ts'
import type { Ingest } from './ingest/ingest.ts'
import { systemClock } from './lib/clock.ts'
import { listen } from './server/listen.ts'
import { openStorage } from './storage/open.ts'
import { warningsOf } from './server/warnings.ts'
import { gatherMetrics } from './server/worker-metrics.ts'
import { superviseWorkers, tellSupervisor } from './server/workers.ts'

/** How often expired tokens, requests for consent, sessions and counters are swept out. */
const sweepEvery = 60_000

/** Serves until the process is told to stop, in one process or in several. */
export async function serve(config: Config): Promise<void> {
  // The issuer names the port, so port 0 must become a number before anything is built.
  const port = await settlePort(config.host, config.port)
  const issuer = config.base_url ?? localAddress(config.host, port)
  const ready = () => console.log(`Tillgate is ready at ${issuer}`)
  if (cluster.isWorker) {
    // Else the channel to the first process would keep this one alive when all is done. Closed by us, it would end it with
    // exit code 0, whatever went wrong.
    process.channel?.unref()
    return serveHere({ ...config, port }, issuer, () => tellSupervisor('listening')).catch(error => {
      tellSupervisor({ failed: error instanceof Error ? error.message : String(error) })
      process.exitCode = 1
    })
  }
  if (config.workers === 1) return serveHere({ ...config, port }, issuer, ready)
  // A port that processes share would be shared with a stranger too.
  await assertFree(config.host, port)
  // Migrated before the workers start, so that they need not race for it.
  const storage = await openStorage(config.database, config)
  await storage.close()
  const env = { PORT: String(port), TILLGATE_BASE_URL: issuer }
  // This process serves nothing; it has the log of one that does.
  const { log } = Fastify({ logger: { level: config.log_level, stream: process.stderr } })
  const warn = (details: object, text: string) => log.warn(details, text)
  return superviseWorkers(config.workers, env, { ready, stop: stopSignal(), warn })
}

/** config → storage → app → listen → close */
async function serveHere(config: Config, issuer: string, ready: () => void): Promise<void> {
  const stop = stopSignal()
  const stopping = new AbortController()
  const clock = systemClock
  const storage = await openStorage(config.database, {
    ...config,
    // Said of the replica, which is met with the first list: the app is there by then.
    notice: (text, error) => (error ? app.log.warn({ err: error }, text) : app.log.info(text)),
  })
  const ingest = ingestOf(config)
  const app = await buildApp({
    storage,
    clock,
    config,
    issuer,
    stopping: stopping.signal,
    ...ingest,
    ...(cluster.isWorker && { gatherMetrics }),
  })
  const sweep = setInterval(() => {
    storage.purge(clock.now()).catch(error => app.log.warn({ err: error }, 'sweeping expired data failed'))
  }, sweepEvery)
  try {
    await listen(app, { ...config, shared: cluster.isWorker })
    ready()
    for (const warning of warningsOf(config, issuer)) app.log.warn(warning)
    app.log.info({ signal: await stop }, 'stopping; requests in flight finish first')
    stopping.abort()
    await sleep(config.shutdown_delay * 1000)
  } finally {
    clearInterval(sweep)
    await app.close()
    await ingest.ingest?.close()
    await storage.close()
  }
}

/** Threads of its own, unless there are to be none or the database is in this process's memory alone. */
function ingestOf(config: Config): { ingest?: Ingest } {
  const { database, ingest_threads: threads } = config
  if (threads === 0 || database === ':memory:') return {}
  return { ingest: createIngestPool({ database, threads, storage: config }) }
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
