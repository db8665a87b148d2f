import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import { type Clock, millisecondsOf } from '../../lib/clock.ts'
import type { Storage } from '../../storage/port/index.ts'
import type { Observe } from '../../storage/timed.ts'
import type { Connections } from '../edge/connections.ts'
import type { Rejection } from '../admission/controller.ts'
import { createHistogram } from './histogram.ts'
import type { RequestEnds } from './request-ends.ts'

/** How `/metrics` gets its text: from this process's registry alone, or from those of all processes on the port. */
export type Gather = (registry: Registry) => () => Promise<string>

/** Rate, errors and duration by endpoint and by database operation, and the process's own figures, for Prometheus. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = createHistogram(
    registry,
    'tillgate_http_request_duration_seconds',
    'Time from the request’s arrival to its last byte, by endpoint',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  const operations = createHistogram(
    registry,
    'tillgate_database_operation_duration_seconds',
    'Time of a database operation, including its wait for a connection',
    [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  const wakeUps = createHistogram(
    registry,
    'tillgate_wake_up_duration_seconds',
    'Time from the change that ended a wait to the beginning of the response',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  ).labels({})
  const changes = new Counter({
    name: 'tillgate_changes_served_total',
    help: 'Orders and items in responses of the changes endpoint',
    labelNames: ['kind'],
    registers,
  })
  const deliveries = new Counter({
    name: 'tillgate_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook',
    labelNames: ['type', 'result'],
    registers,
  })
  const deliveryDelays = createHistogram(
    registry,
    'tillgate_webhook_delay_seconds',
    'Time from a commit to the first attempt to deliver its webhook',
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  ).labels({})
  const refused = new Counter({
    name: 'tillgate_http_requests_refused_total',
    help: 'Requests rejected with 503 because the server was overloaded',
    labelNames: ['why'],
    registers,
  })
  const unreadable = new Counter({
    name: 'tillgate_http_requests_unreadable_total',
    help: 'Requests that were not valid HTTP, were too large, or did not arrive in time',
    labelNames: ['status'],
    registers,
  })

  return {
    /** Times the runs of one database operation. */
    operation(operation: string): Observe {
      const ok = operations.labels({ operation, outcome: 'ok' })
      const failed = operations.labels({ operation, outcome: 'failed' })
      return (milliseconds, hasFailed) => (hasFailed ? failed : ok)(milliseconds / 1000)
    },
    rejected: (why: Rejection) => refused.inc({ why }),
    unreadable: (status: number) => unreadable.inc({ status }),
    delivery(type: string, delivered: boolean, delay_ms: number | null): void {
      deliveries.inc({ type, result: delivered ? 'delivered' : 'failed' })
      if (delay_ms !== null) deliveryDelays(delay_ms / 1000)
    },
    /** The age of the oldest event that is not delivered, read at most every 10 seconds. */
    webhooks(webhooks: Pick<Storage['webhooks'], 'oldestPending' | 'sender'>, clock: Clock): void {
      // A database whose webhooks are stopped sends none on purpose.
      const oldest = async () => ((await webhooks.sender()).paused ? null : webhooks.oldestPending())
      let read = { at: Number.NEGATIVE_INFINITY, oldest_ms: null as number | null }
      const gauge = new Gauge({
        name: 'tillgate_webhook_oldest_pending_seconds',
        help: 'Age of the oldest webhook event that waits for its first attempt, without those of store.changed',
        registers: [],
        async collect() {
          const now = millisecondsOf(clock)
          if (now - read.at >= 10_000) {
            read = { at: now, oldest_ms: await oldest().catch(() => null) }
          }
          this.set(read.oldest_ms === null ? 0 : Math.max(0, (now - read.oldest_ms) / 1000))
        },
      })
      registry.registerMetric(gauge)
    },
    waiting(requests: { readonly size: number }): void {
      const gauge = new Gauge({
        name: 'tillgate_waiting_requests',
        help: 'Requests that wait for a change',
        registers: [],
        collect() {
          this.set(requests.size)
        },
      })
      registry.registerMetric(gauge)
    },
    usage(recorder: Pick<UsageRecorder, 'dropped'>): void {
      const dropped = new Counter({
        name: 'tillgate_usage_dropped_total',
        help: 'Requests left out of the usage counters or the request log because memory for them ran out',
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
        help: 'Open connections',
        registers: [],
        collect() {
          this.set([...connections.all()].length)
        },
      })
      registry.registerMetric(open)
      ends.listenToAnswers(({ wait }) => {
        if (wait && wait.woken_at !== null) wakeUps((performance.now() - wait.woken_at) / 1000)
      })
      const bound = new Map<string, (seconds: number) => void>()
      ends.listen(({ request, method, route, status, milliseconds, aborted }) => {
        const { rows = 0, orders } = (method === 'GET' && request.page) || {}
        if (orders !== undefined) {
          changes.inc({ kind: 'order' }, orders)
          changes.inc({ kind: 'item' }, rows - orders)
        }
        const outcome = aborted ? 'aborted' : String(status)
        const key = `${outcome} ${method} ${route}`
        let observe = bound.get(key)
        if (!observe) {
          observe = requests.labels({ method, route: route ?? 'none', status: outcome })
          bound.set(key, observe)
        }
        observe(milliseconds / 1000)
      })
      const text = gather(registry)
      app.get('/metrics', { config: { admission: 'exempt' as const } }, async (_request, reply) =>
        reply.type(registry.contentType).send(await text()),
      )
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
