import type { FastifyInstance } from 'fastify'
import type { Storage } from '../../storage/port/index.ts'
import { sendError } from '../reply/envelope.ts'
import { fail } from '../../errors.ts'

const stoppingNow = fail('service_unavailable', 'Shutting down', { headers: { 'retry-after': '1' } })

/**
 * Live: the process answers. Ready: it can serve, database included. Not ready from the moment that it is told to stop,
 * while it still serves: so whoever spreads requests over nodes has time to leave it out.
 */
export function health(app: FastifyInstance, storage: Storage, stopping?: AbortSignal): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  const always = { config: { turn: 'never' as const } }
  app.get('/health/live', always, async () => ({ status: 'live' }))
  app.get('/health/ready', always, async (request, reply) => {
    if (closing || stopping?.aborted) return sendError(reply, stoppingNow)
    try {
      await storage.ping()
    } catch (error) {
      request.log.warn({ err: error }, 'database does not answer')
      return sendError(
        reply,
        fail('service_unavailable', 'The database does not answer', { headers: { 'retry-after': '1' } }),
      )
    }
    return { status: 'ready' }
  })
}
