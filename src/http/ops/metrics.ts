import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { RequestEnds } from '../request-ends.ts'

/** Rate, errors and duration by endpoint, and the process's own figures, for Prometheus. */
export function metrics(app: FastifyInstance, ends: RequestEnds): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'tillgate_http_request_duration_seconds',
    help: 'Time from the request’s arrival to its last byte, by endpoint',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  ends.listen(({ method, route, status, milliseconds, aborted }) => {
    const labels = { method, route: route ?? 'none', status: aborted ? 'aborted' : String(status) }
    duration.observe(labels, milliseconds / 1000)
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
