import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { oauthErrorBody } from '../../oauth/error-body.ts'

/** RFC 6749 §5.2, for requests that do not reach the provider. */
export function sendOauthError(reply: FastifyReply, { status, message, headers }: ApiError): FastifyReply {
  const body = oauthErrorBody(status, message)
  reply.request.error_code = body.error
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .send(body)
}
