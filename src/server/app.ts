import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config.ts'
import { sendErrorPage } from '../console/error-page.ts'
import { consolePages } from '../console/index.ts'
import { createThrottle } from '../domain/accounts/throttle.ts'
import { createPendingConsents } from '../domain/apps/pending-consents.ts'
import { rejectOverload } from '../http/admission/overload.ts'
import { perApp } from '../http/admission/rate-limit.ts'
import { refuseAmbiguousRequests } from '../http/edge/ambiguous-requests.ts'
import { allowAppOrigins, createPreflightAnswer } from '../http/edge/cors.ts'
import { closeGracefully } from '../http/edge/graceful-close.ts'
import { closeSlowClients } from '../http/edge/slow-clients.ts'
import { limitHeaders } from '../http/edge/header-limits.ts'
import { transportHeaders } from '../http/edge/transport-headers.ts'
import { integrationApi } from '../http/integration/index.ts'
import { oauthApi } from '../http/oauth/index.ts'
import { createMetrics, type Gather } from '../http/observe/metrics.ts'
import { createRequestEnds } from '../http/observe/request-ends.ts'
import { requestLog } from '../http/observe/request-log.ts'
import { recordUsage } from '../http/observe/usage-recording.ts'
import { health } from '../http/ops/health.ts'
import { openapi } from '../http/ops/openapi.ts'
import { platformApi } from '../http/platform/index.ts'
import { rejectOtherMethods } from '../http/reply/method-not-allowed.ts'
import type { App } from '../http/route.ts'
import { sandboxFaults } from '../http/sandbox/faults.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'
import { type OperationName, timed } from '../storage/timed.ts'
import { createInstance } from './instance.ts'
import { createServices } from './services.ts'

export interface AppDeps {
  storage: Storage
  clock: Clock
  config: ServerConfig
  /** Public address and issuer. */
  issuer: string
  /** Where log lines go; standard error when left out. */
  log?: { write(line: string): void }
  /** Reads and stores the platform's records; the app does it itself when left out. */
  ingest?: Ingest
  /** With several processes on one port: how one process gets the metrics of all. */
  gatherMetrics?: Gather
  /** Aborted when the process is asked to stop, some time before the app is closed. */
  stopping?: AbortSignal
}

/** Operations after which a token may read less than before: requests that wait are checked again at once. */
const endsAccess: ReadonlySet<OperationName> = new Set([
  'accounts.setDisabled',
  'apps.setDisabled',
  'apps.setDisabledByOwner',
  'apps.update',
  'authorizations.save',
  'authorizations.revoke',
  'authorizations.revokeApp',
  // A consent replaces the stores of the one before.
  'decisions.allow',
  'revokedTokens.add',
  'revokedTokens.endFamily',
])

/** Operations after which there may be webhooks to send that no ingest reports. */
const makesEvents: ReadonlySet<OperationName> = new Set([
  'accounts.setDisabled',
  'authorizations.save',
  'authorizations.revoke',
  'authorizations.revokeApp',
  'decisions.allow',
  'webhooks.create',
  'webhooks.add',
  'webhooks.resend',
  'webhooks.setDisabled',
  'webhooks.setPaused',
])

/** The whole server but for its sockets: the list of what it is made of, in the order in which a request meets it. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { clock, config, issuer, stopping } = deps
  const ends = createRequestEnds()
  const metrics = createMetrics()
  const { app, connections } = createInstance({ clock, config, log: deps.log, ends, metrics })
  const { outages } = app
  const storage = timed(deps.storage, operation => {
    const observe = metrics.operation(operation)
    const mayEndAccess = endsAccess.has(operation)
    return (milliseconds, failed) => {
      if (!failed) outages.answered()
      observe(milliseconds, failed)
      if (mayEndAccess) waiting.accessChanged()
      if (makesEvents.has(operation)) delivery.wake()
    }
  })
  const services = await createServices({
    storage,
    clock,
    config,
    issuer,
    log: app.log,
    outages,
    ingest: deps.ingest,
    observe: {
      attempt: metrics.delivery,
      disabled: (endpoint_id, reason) =>
        app.log.warn({ endpoint_id, reason }, 'a webhook endpoint was disabled'),
    },
  })
  const {
    providers,
    verifyAccessToken,
    issueClientToken,
    requireScope,
    usage,
    ingest,
    waiting,
    delivery,
    pages,
  } = services

  app.decorate('brand', pages.brand)

  limitHeaders(app)
  refuseAmbiguousRequests(app)
  transportHeaders(app, pages.secure)
  closeGracefully(app, ends, connections, stopping)
  closeSlowClients(app, connections)
  app.addHook('preClose', async () => waiting.close())
  app.addHook('onReady', async () => delivery.start())
  app.addHook('onClose', () => delivery.close())
  rejectOverload(app, config, ends, metrics.rejected)
  requestLog(ends, outages)
  recordUsage(ends, usage)
  // After the last request, and before the storage is closed.
  app.addHook('onClose', () => usage.close())
  rejectOtherMethods(app, createPreflightAnswer(storage, config))
  metrics.usage(usage)
  metrics.waiting(waiting)
  metrics.webhooks(storage.webhooks, clock)
  metrics.serve(app, ends, connections, deps.gatherMetrics ?? (registry => () => registry.metrics()))

  health(app, storage, stopping)
  openapi(app, issuer, config)
  if (config.sandbox) sandboxFaults(app, storage)
  await app.register(async scope => {
    oauthApi(scope, {
      providers,
      verifyAccessToken,
      issueClientToken,
      storage,
      sendErrorPage,
      issuer,
      throttle: createThrottle('client', { storage, clock }),
      pending: createPendingConsents({ storage, clock }),
    })
  })
  await app.register(async scope => {
    allowAppOrigins(scope, storage)
    if (config.rate_limit > 0) await scope.register(rateLimit, perApp(config.rate_limit))
    integrationApi(scope as App, { storage, clock, issuer, waiting, requireScope })
  })
  await app.register(async scope =>
    platformApi(scope as App, { ingest, usage, waiting, delivery, requireScope }),
  )
  await app.register(async scope => consolePages(scope, pages))
  return app
}
