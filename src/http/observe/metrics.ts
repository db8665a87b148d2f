import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import type { Observe } from '../../storage/timed.ts'
import type { Connections } from '../edge/connections.ts'
import type { TurnedAway } from '../admission/gate.ts'
import type { RequestEnds } from './request-ends.ts'
import { createHistogram } from './histogram.ts'

/** From the metrics of this process, those of all that share its port. */
export type Gather = (own: () => Promise<string>) => () => Promise<string>

/** Rate, errors and duration by endpoint and by database operation, and the process's own figures, for Prometheus. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = createHistogram(
    'tillgate_http_request_duration_seconds',
    'Time from the request’s arrival to its last byte, by endpoint',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  const operations = createHistogram(
    'tillgate_database_operation_duration_seconds',
    'Time of a database operation, waiting for its turn included',
    [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  const refused = new Counter({
    name: 'tillgate_http_requests_refused_total',
    help: 'Requests answered 503 because there was more to do than could be done',
    labelNames: ['why'],
    registers,
  })

  const unreadable = new Counter({
    name: 'tillgate_http_requests_unreadable_total',
    help: 'Requests that were no HTTP, too large to be one, or not whole in time',
    labelNames: ['status'],
    registers,
  })

  return {
    /** What times the runs of one database operation. */
    operation(operation: string): Observe {
      const ok = operations.of({ operation, outcome: 'ok' })
      const failed = operations.of({ operation, outcome: 'failed' })
      return (milliseconds, hasFailed) => (hasFailed ? failed : ok)(milliseconds / 1000)
    },
    refused: (why: TurnedAway) => refused.inc({ why }),
    unreadable: (status: number) => unreadable.inc({ status }),
    usage(recorder: Pick<UsageRecorder, 'dropped'>): void {
      const dropped = new Counter({
        name: 'tillgate_usage_dropped_total',
        help: 'Requests that the usage counters, or the request log, had no room for',
        labelNames: ['what'],
        registers: [],
        collect() {
          this.reset()
          for (const [what, count] of Object.entries(recorder.dropped)) this.inc({ what }, count)
        },
      })
      registry.registerMetric(dropped)
    },
    serve(app: FastifyInstance, ends: RequestEnds, connections: Connections, gather: Gather): void {
      const open = new Gauge({
        name: 'tillgate_http_connections',
        help: 'Connections that are open',
        registers: [],
        collect() {
          this.set([...connections.all()].length)
        },
      })
      registry.registerMetric(open)
      /** There are as many as combinations of labels, and looked up by one text they cost nothing. */
      const observers = new Map<string, (seconds: number) => void>()
      ends.listen(({ method, route, status, milliseconds, aborted }) => {
        const outcome = aborted ? 'aborted' : String(status)
        const key = `${outcome} ${method} ${route}`
        let observe = observers.get(key)
        if (!observe) {
          observe = requests.of({ method, route: route ?? 'none', status: outcome })
          observers.set(key, observe)
        }
        observe(milliseconds / 1000)
      })
      const all = gather(async () => (await registry.metrics()) + requests.text() + operations.text())
      app.get('/metrics', { config: { turn: 'never' as const } }, async (_request, reply) =>
        reply.type(registry.contentType).send(await all()),
      )
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
