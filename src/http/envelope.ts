import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, fail } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { isStorageFault } from '../domain/storage-fault.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every answer tells its time, error answers too, so the renderers find the clock on the app. */
    clock: Clock
  }
}

/** Spec 2.1, written by hand around stored JSON: an answer's data is never parsed on its way out. */

const json = 'application/json; charset=utf-8'

export const head = (timestamp: number): string =>
  `{"status":{"timestamp":${timestamp},"ack":200,"errors":null},"data":`

export const tail = '}'

/** Answers 200 with data that is JSON text already. */
export function sendData(reply: FastifyReply, data: string): FastifyReply {
  return reply.type(json).send(head(reply.server.clock.now()) + data + tail)
}

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { code, message, details, status } = error
  const timestamp = reply.server.clock.now()
  return reply
    .code(status)
    .headers(error.headers)
    .type(json)
    .send(
      JSON.stringify({ status: { timestamp, ack: status, errors: { code, message, details } }, data: null }),
    )
}

/** The error renderer of the two surfaces that answer in the envelope. */
export function envelopeErrorHandler(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toApiError(error)
  if (known.status >= 500) request.log.error({ err: error }, 'request failed')
  return sendError(reply, known)
}

/** What went wrong, in the catalogue's words; anything unforeseen is a server_error that shows no internals. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStorageFault(error)) {
    return fail('service_unavailable', 'The database cannot answer now; try again shortly', {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  }
  const { statusCode, code: cause } = error as { statusCode?: number; code?: string }
  if (cause === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('body_too_large', 'The request body is too large')
  if (cause === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail('media_type_unsupported', 'This endpoint does not read bodies of that media type')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return fail('request_malformed', 'The request cannot be read')
  }
  return fail('server_error', 'Something went wrong on our side', { cause: error })
}
