import type { FastifyInstance } from 'fastify'
import type { Storage } from '../../storage/port.ts'
import { sendError } from '../envelope.ts'
import { fail } from '../../errors.ts'

/** Live: the process answers. Ready: it can serve, database included; not while it is shutting down. */
export function health(app: FastifyInstance, storage: Storage): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/ready', async (request, reply) => {
    if (closing) return sendError(reply, fail('service_unavailable', 'Shutting down'))
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
