import type { FastifyInstance } from 'fastify'
import { isStorageFault } from '../../domain/storage-fault.ts'
import type { Storage } from '../../storage/port/index.ts'
import { sendError } from '../reply/envelope.ts'
import { fail } from '../../errors.ts'

const shuttingDown = fail('service_unavailable', 'Shutting down')

/**
 * Live: the process responds. Ready: it can serve, including from the database. It stops being ready when it receives
 * the signal to stop, while it still serves, so that a load balancer has time to remove it.
 */
export function health(app: FastifyInstance, storage: Storage, stopping?: AbortSignal): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  const always = { config: { admission: 'exempt' as const } }
  app.get('/health/live', always, async () => ({ status: 'live' }))
  app.get('/health/ready', always, async (request, reply) => {
    if (closing || stopping?.aborted) return sendError(reply, shuttingDown)
    try {
      await storage.ping()
    } catch (error) {
      if (isStorageFault(error)) request.server.outages.failed(error, request.id)
      else request.log.warn({ err: error }, 'the database does not respond')
      return sendError(reply, fail('service_unavailable', 'The database does not respond'))
    }
    return { status: 'ready' }
  })
}
