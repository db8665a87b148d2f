import type { FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../envelope.ts'

/** RFC 6749 §5.2 for what never reached the provider. */
export function oauthErrorHandler(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, message, headers } = toApiError(error)
  if (status >= 500) request.log.error({ err: error }, 'request failed')
  const code = status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .send({ error: code, error_description: message })
}
