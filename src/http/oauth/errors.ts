import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { oauthErrorBody } from '../../oauth/error-body.ts'

/** RFC 6749 §5.2 for what never reached the provider. */
export const sendOauthError = (reply: FastifyReply, { status, message, headers }: ApiError): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .send(oauthErrorBody(status, message))
