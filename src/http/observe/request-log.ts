import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { OutageLog } from './outage-log.ts'
import type { RequestEnds } from './request-ends.ts'

/** Writes one line for each request, when it ends; of those that the outage log counts, only at the level debug. */
export function requestLog(ends: RequestEnds, outages: Pick<OutageLog, 'take'>): void {
  ends.listen(({ request, method, route, status, milliseconds, address, aborted }) => {
    request.log[outages.take(request.id) ? 'debug' : 'info'](
      {
        method,
        route,
        status,
        ms: Math.round(milliseconds * 10) / 10,
        address,
        ...(aborted && { aborted }),
        ...(request.principal && { app_id: request.principal.claim.app_id }),
      },
      'request',
    )
  })
}

/** Turns Fastify's own request lines off, because they contain URLs; errors while a response is sent are still logged. */
export class FaultsOnly extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' })
  }

  override streamError(
    error: Error & { code?: string },
    _request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // The client closed the connection; the request's own line says so.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    reply.log.error({ err: error }, 'request failed while its response was being sent')
  }
}
