import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { errorPage } from '../console/error-page.ts'
import { securityHeaders } from '../console/security-headers.ts'
import { type Connections, watchConnections } from '../http/edge/connections.ts'
import { readForwardedFor } from '../http/edge/forwarded-for.ts'
import { parserLimit } from '../http/edge/header-limits.ts'
import { answerMalformed } from '../http/edge/malformed.ts'
import { arrivalLimits } from '../http/edge/slow-clients.ts'
import { createOutageLog } from '../http/observe/outage-log.ts'
import type { Metrics } from '../http/observe/metrics.ts'
import type { RequestEnds } from '../http/observe/request-ends.ts'
import { FaultsOnly } from '../http/observe/request-log.ts'
import { withoutCompilers } from '../http/schema-controller.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import { createLineBuffer } from '../lib/line-buffer.ts'
import { renderError, renderNotFound, surfaceOf } from './surfaces.ts'

interface InstanceDeps {
  clock: Clock
  config: Pick<Config, 'log_level' | 'trust_proxy' | 'max_connections'>
  log: { write(line: string): void } | undefined
  ends: RequestEnds
  metrics: Metrics
}

/** Creates the Fastify instance for all surfaces: limits, error rendering and decorators, but no routes. */
export function createInstance({ clock, config, log, ends, metrics }: InstanceDeps): {
  app: FastifyInstance
  connections: Connections
} {
  const app = Fastify({
    logger: { level: config.log_level, stream: log ?? createLineBuffer(process.stderr) },
    // requestLog writes one line per request, without the URL.
    logController: new FaultsOnly(),
    genReqId: randomId,
    trustProxy: config.trust_proxy === '' ? false : config.trust_proxy,
    // A request that arrives on an open connection during shutdown is still answered.
    return503OnClosing: false,
    requestTimeout: arrivalLimits.requestTimeout,
    http: {
      requireHostHeader: false, // refuseAmbiguousRequests checks it and answers in the envelope
      maxHeaderSize: parserLimit,
      optimizeEmptyRequests: true, // a request without a body needs no stream of one: 5 % of a poll's time
      ...arrivalLimits.http,
    },
    frameworkErrors: (error, request, reply) => {
      ends.watch(request, reply)
      return renderError(error, request, reply)
    },
    clientErrorHandler: answerMalformed({
      clock,
      connections: () => connections,
      page: (
        { method, path },
        status,
        request_id,
      ): { headers: Record<string, string>; body: string } | null =>
        path !== null && surfaceOf(method, path) === 'page'
          ? { headers: securityHeaders(), body: errorPage(status, request_id)(app.brand.current()) }
          : null,
      notice(details) {
        metrics.unreadable(details.status)
        app.log.info(details, 'malformed HTTP request')
      },
    }),
    routerOptions: { maxParamLength: 128 },
    schemaController: withoutCompilers,
  })
  if (config.trust_proxy !== '') readForwardedFor(app.server)
  const connections = watchConnections(app.server, config.max_connections)
  // RFC 9110 §10.1.1 allows a server to ignore an unknown expectation; Node's own answer would have no request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const outages = createOutageLog({ log: app.log, clock })
  app.decorate('clock', clock)
  app.decorate('outages', outages)
  app.addHook('onClose', async () => outages.close())
  app.decorate('answering', ends.answering)
  app.decorateRequest('principal', null)
  app.decorateRequest('page', null)
  app.decorateRequest('error_code', null)
  app.decorateRequest('problem', null)
  app.decorateRequest('client_id', null)
  app.setErrorHandler(renderError)
  app.setNotFoundHandler(renderNotFound)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.raw.request_id = request.id
    ends.watch(request, reply)
    forgetTypeOfNoBody(request)
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    ends.answering(reply)
    done()
  })
  return { app, connections }
}

/**
 * RFC 9112 §6.3: a request without a length has no body, whatever its Content-Type says. A parser of that type would wait
 * without end, because optimizeEmptyRequests leaves nothing to read.
 */
function forgetTypeOfNoBody({ headers }: FastifyRequest): void {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  if (isEmpty && headers['content-type'] !== undefined) delete headers['content-type']
}
