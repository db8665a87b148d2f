import type { FastifyInstance } from 'fastify'

/**
 * One line a request, at its end. Only the route's pattern is written, never the address: queries and paths can carry
 * codes and tokens.
 */
export function requestLog(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
        ...(request.principal && { app_id: request.principal.claim.app_id }),
      },
      'request',
    )
  })
}
