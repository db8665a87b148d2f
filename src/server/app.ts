import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { renderAuthorizationError, sendErrorPage } from '../console/error-page.ts'
import { createCookieSigner } from '../console/sign-in/cookie-signer.ts'
import { consolePages } from '../console/index.ts'
import { createSignedIn } from '../console/sign-in/signed-in.ts'
import { createAccounts } from '../domain/accounts/accounts.ts'
import { createApps } from '../domain/apps/apps.ts'
import { createBegunRequests } from '../domain/apps/pending-consents.ts'
import { createConnectedApps } from '../domain/apps/connected-apps.ts'
import { createConsent } from '../domain/apps/consent.ts'
import { createRecordWriter } from '../ingest/record-writer.ts'
import { createIngest, type Ingest } from '../ingest/ingest.ts'
import { createKeys } from '../domain/keys.ts'
import { createSessions } from '../domain/accounts/sessions.ts'
import { createThrottle } from '../domain/accounts/throttle.ts'
import { createIngestFigures } from '../domain/usage/ingest.ts'
import { createLocalReads } from '../domain/usage/local-days.ts'
import { createReadFigures } from '../domain/usage/reads.ts'
import { createUsageRecorder } from '../domain/usage/recorder.ts'
import { createRequestFigures } from '../domain/usage/requests.ts'
import { watchConnections } from '../http/edge/connections.ts'
import { readForwardedFor } from '../http/edge/forwarded-for.ts'
import { closeGracefully } from '../http/edge/graceful-close.ts'
import { integrationApi } from '../http/integration/index.ts'
import { answerMalformed } from '../http/edge/malformed.ts'
import { methodsNotAllowed } from '../http/reply/method-not-allowed.ts'
import { oauthApi } from '../http/oauth/index.ts'
import { health } from '../http/ops/health.ts'
import { createMetrics, type Gather } from '../http/observe/metrics.ts'
import { openapi } from '../http/ops/openapi.ts'
import { refuseOverload } from '../http/admission/overload.ts'
import { platformApi } from '../http/platform/index.ts'
import { perApp } from '../http/admission/rate-limit.ts'
import { requireOneReading } from '../http/edge/ambiguous-requests.ts'
import { createRequestEnds } from '../http/observe/request-ends.ts'
import { FaultsOnly, requestLog } from '../http/observe/request-log.ts'
import { arrivalLimits, cutSlowClients } from '../http/edge/slow-clients.ts'
import { transportHeaders } from '../http/edge/transport-headers.ts'
import { recordUsage } from '../http/observe/usage-recording.ts'
import { type App, guard } from '../http/route.ts'
import { renderError, renderNotFound } from './surfaces.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import { createLineBuffer } from '../lib/line-buffer.ts'
import { createBearer } from '../oauth/bearer.ts'
import { createPresentedTokens } from '../oauth/presented-tokens.ts'
import { createProviderSource } from '../oauth/provider-source.ts'
import type { Storage } from '../storage/port/index.ts'
import { timed } from '../storage/timed.ts'

export interface AppDeps {
  storage: Storage
  clock: Clock
  config: Pick<
    Config,
    'log_level' | 'trust_proxy' | 'rate_limit' | 'max_connections' | 'max_requests' | 'max_wait'
  >
  /** Public address and issuer. */
  issuer: string
  /** Where log lines go; standard error when left out. */
  log?: { write(line: string): void }
  /** Where the platform's records are read and stored; by the app itself when left out. */
  ingest?: Ingest
  /** Of several processes on one port: how one gets the metrics of all. */
  gatherMetrics?: Gather
  /** Aborted when the process is told to stop, some time before the app is closed. */
  stopping?: AbortSignal
}

/** The whole server but for its socket: what stands on what, top to bottom. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { clock, config, issuer, log, stopping } = deps
  const ends = createRequestEnds()
  const metrics = createMetrics()
  const storage = timed(deps.storage, metrics.operation)
  const ingest = deps.ingest ?? createIngest(createRecordWriter({ storage, clock }))
  const app = Fastify({
    logger: { level: config.log_level, stream: log ?? createLineBuffer(process.stderr) },
    // One line a request is written by requestLog, without the address.
    logController: new FaultsOnly(),
    genReqId: randomId,
    trustProxy: config.trust_proxy === '' ? false : config.trust_proxy,
    // A request that arrives on an open connection while we close is still answered.
    return503OnClosing: false,
    requestTimeout: arrivalLimits.requestTimeout,
    http: {
      requireHostHeader: false, // requireOneReading does, in our format
      ...arrivalLimits.http,
    },
    frameworkErrors: (error, request, reply) => {
      ends.watch(request, reply)
      return renderError(error, request, reply)
    },
    clientErrorHandler: answerMalformed({
      clock,
      connections: () => connections,
      notice(told) {
        metrics.unreadable(told.status)
        app.log.info(told, 'request that cannot be read')
      },
    }),
    routerOptions: { maxParamLength: 128 },
  })
  if (config.trust_proxy !== '') readForwardedFor(app.server)
  const connections = watchConnections(app.server, config.max_connections)
  // RFC 9110 §10.1.1: an expectation that we do not know may be passed over; Node would answer it without a request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorate('clock', clock)
  app.decorate('answering', ends.answering)
  app.decorateRequest('principal', null)
  app.decorateRequest('page', null)
  app.decorateRequest('error_code', null)
  app.decorateRequest('client_id', null)
  app.setErrorHandler(renderError)
  app.setNotFoundHandler(renderNotFound)
  // Schemas document. Where one also checks, its plugin says so; answers are written by hand and not serialized again.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  const refuseOtherMethods = methodsNotAllowed(app)

  const secure = issuer.startsWith('https:')
  const keys = createKeys({ storage, clock })
  const bearer = createBearer({ keys, clock, issuer })
  const presented = createPresentedTokens({ bearer, storage, clock })
  const apps = createApps({ storage, clock })
  const providers = createProviderSource({
    storage,
    clock,
    issuer,
    secure,
    keys,
    presented,
    verifySecret: apps.verifySecret,
    renderError: renderAuthorizationError,
    onServerError: (error, request_id) =>
      app.log.error({ err: error, request_id }, 'authorization server failed'),
  })
  const requireScope = guard({ bearer, storage })
  const usage = createUsageRecorder({
    storage,
    clock,
    notice: (text, error) => (error ? app.log.warn({ err: error }, text) : app.log.info(text)),
  })
  const reads = createReadFigures({ storage, clock, recorder: usage })

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.raw.request_id = request.id
    ends.watch(request, reply)
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    ends.answering(reply)
    done()
  })
  requireOneReading(app)
  transportHeaders(app, secure)
  closeGracefully(app, ends, connections, stopping)
  cutSlowClients(app, connections)
  refuseOverload(app, config, ends, metrics.refused)
  requestLog(ends)
  recordUsage(ends, usage)
  // When the last request is over, and before whoever opened the storage closes it.
  app.addHook('onClose', () => usage.close())
  metrics.usage(usage)
  metrics.serve(app, ends, connections, deps.gatherMetrics ?? (own => own))
  health(app, storage, stopping)
  await openapi(app, issuer)
  await app.register(async scope =>
    oauthApi(scope, {
      providers,
      presented,
      storage,
      sendErrorPage,
      issuer,
      throttle: createThrottle('client', { storage, clock }),
      begun: createBegunRequests({ storage, clock }),
    }),
  )
  await app.register(async scope => {
    if (config.rate_limit > 0) await scope.register(rateLimit, perApp(config.rate_limit))
    integrationApi(scope as App, { storage, clock, requireScope })
  })
  await app.register(async scope => platformApi(scope as App, { ingest, usage, requireScope }))
  await app.register(async scope =>
    consolePages(scope, {
      storage,
      clock,
      issuer,
      secure,
      accounts: createAccounts({ storage, clock }),
      apps,
      signedIn: createSignedIn(createSessions({ storage, clock }), secure),
      signInThrottle: createThrottle('sign-in', { storage, clock }),
      signUpThrottle: createThrottle('sign-up', { storage, clock }),
      consents: createConsent({ storage, clock }),
      connectedApps: createConnectedApps({ storage, clock, reads }),
      figures: {
        reads,
        localReads: createLocalReads({ storage, clock, recorder: usage }),
        requests: createRequestFigures({ storage, clock, recorder: usage }),
        ingest: createIngestFigures({ storage, clock, recorder: usage }),
      },
      providers,
      cookies: await createCookieSigner({ keys, clock }),
    }),
  )
  refuseOtherMethods()
  return app
}
