import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { RequestEnds } from './request-ends.ts'

/** One line a request, at its end. */
export function requestLog(ends: RequestEnds): void {
  ends.listen(({ request, method, route, status, milliseconds, address, aborted }) => {
    request.log.info(
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

/** Fastify's own lines about requests are off, for they hold addresses; a fault in the middle of an answer is not. */
export class FaultsOnly extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' })
  }

  override streamError(
    error: Error & { code?: string },
    _request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // A reader who went away is no fault of ours; the request's own line says so.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    reply.log.error({ err: error }, 'request failed in the middle of its answer')
  }
}
