import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import Fastify, { type FastifyInstance } from 'fastify'
import { buildApp } from './server/app.ts'
import type { Config } from './config.ts'
import { assertFree, localAddress, settlePort } from './lib/address.ts'
import { withoutCompilers } from './http/schema-controller.ts'
import { createIngestPool } from './ingest/threads/pool.ts'
import type { Ingest } from './ingest/ingest.ts'
import { systemClock } from './lib/clock.ts'
import { runEach } from './lib/run-each.ts'
import { createStopRequest } from './lib/stop-request.ts'
import { listen } from './server/listen.ts'
import { startPurge } from './server/purge.ts'
import { openStorage } from './storage/open.ts'
import { warningsOf } from './server/warnings.ts'
import { gatherMetrics } from './server/worker-metrics.ts'
import { reportToSupervisor, superviseWorkers } from './server/workers.ts'

/**
 * The heap may grow by a quarter between two full collections, and not to more than twice its size: 10,000 waiting requests
 * then take 170 MB less once they have been repeated (docs/performance.md). Not before the server listens, because a start
 * would spend an eighth of its time on collections.
 */
const heapGrowth = '--heap-growing-percent=25'

/** Serves until SIGTERM or SIGINT, in one process or in several. `warnings` go to the log before anything else. */
export async function serve(config: Config, warnings: readonly string[] = []): Promise<void> {
  // Before a server is built, and where this process serves nothing, in the format of the server's log.
  const { log } = Fastify({
    logger: { level: config.log_level, stream: process.stderr },
    schemaController: withoutCompilers,
  })
  if (cluster.isPrimary) for (const warning of warnings) log.warn(warning)
  // The issuer names the port, so port 0 must become a number before anything is built.
  const port = await settlePort(config.host, config.port)
  const issuer = config.base_url ?? localAddress(config.host, port)
  if (cluster.isWorker) {
    // The channel to the supervisor must not keep this process alive after its work. Closing the channel instead would
    // end the process with exit code 0 even after a failure.
    process.channel?.unref()
    const ready = () => reportToSupervisor('listening')
    return serveInThisProcess({ ...config, port }, issuer, ready).catch(error => {
      reportToSupervisor({ failed: error instanceof Error ? error.message : String(error) })
      process.exitCode = 1
    })
  }
  const ready = () => console.log(`Tillgate is ready at ${issuer}`)
  if (config.workers === 1) return serveInThisProcess({ ...config, port }, issuer, ready)
  // Workers share the port (SO_REUSEPORT), so they would share it with another server of the same user too.
  await assertFree(config.host, port)
  // The schema is migrated before the workers start, so that they do not compete for it.
  const storage = await openStorage(config.database, config)
  await storage.close()
  const env = {
    PORT: String(port),
    TILLGATE_BASE_URL: issuer,
    // The demo adds an address.
    TILLGATE_WEBHOOK_ALLOW: config.webhook_allow,
  }
  const warn = (details: object, text: string) => log.warn(details, text)
  const stop = createStopRequest()
  stop.listen()
  return superviseWorkers(config.workers, env, { ready, stop: stop.signal, warn })
}

/** config → storage → app → listen → close */
async function serveInThisProcess(config: Config, issuer: string, ready: () => void): Promise<void> {
  const { signal: stop, listen: listenForSignals } = createStopRequest()
  const clock = systemClock
  const storage = await openStorage(config.database, {
    ...config,
    migrated: cluster.isWorker,
    // Only the read replica calls this, at the first list request, when the app exists.
    notice: (text, error) => (error ? app?.log.warn({ err: error }, text) : app?.log.info(text)),
  })
  let ingest: { ingest?: Ingest } = {}
  let app: FastifyInstance | undefined
  let purge: { stop(): void } | undefined
  // From here on an open storage keeps the process alive, and a signal only asks it to stop: every failure must close it.
  try {
    listenForSignals()
    ingest = ingestOf(config)
    app = await buildApp({
      storage,
      clock,
      config,
      issuer,
      stopping: stop,
      ...ingest,
      ...(cluster.isWorker && { gatherMetrics }),
    })
    const { log } = app
    purge = startPurge({ storage, clock, log })
    await listen(app, { ...config, shared: cluster.isWorker })
    setFlagsFromString(heapGrowth)
    ready()
    for (const warning of warningsOf(config, issuer)) log.warn(warning)
    if (!stop.aborted) await once(stop, 'abort')
    log.info({ signal: stop.reason }, 'stopping; requests in flight finish first')
    await sleep(config.shutdown_delay * 1000)
  } finally {
    purge?.stop()
    await runEach([() => app?.close(), () => ingest.ingest?.close(), () => storage.close()])
  }
}

/** Ingest threads, unless there are none by configuration or the database exists in this process's memory only. */
function ingestOf(config: Config): { ingest?: Ingest } {
  const { database, ingest_threads: threads } = config
  if (threads === 0 || database === ':memory:') return {}
  return { ingest: createIngestPool({ database, threads, storage: config }) }
}
