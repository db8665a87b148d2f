import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendErrorPage } from '../console/error-page.ts'
import { isStorageFault } from '../domain/storage-fault.ts'
import { ApiError, fail } from '../errors.ts'
import { sendError } from '../http/reply/envelope.ts'
import { closeAfter } from '../http/edge/delayed-close.ts'
import { sendOauthError } from '../http/oauth/errors.ts'
import { originForm } from '../lib/origin-form.ts'

type Renderer = (reply: FastifyReply, error: ApiError) => FastifyReply

/** Which renderer answers for a path, also when no route has it: three surfaces over one catalogue. */
function rendererOf(url: string): Renderer {
  if (/^\/(integration|platform|health|metrics|openapi)/.test(url)) return sendError
  return /^\/(auth|\.well-known)\//.test(url) ? sendOauthError : sendErrorPage
}

/** The one error handler. */
export function renderError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error)
  // What we refuse on purpose is no fault, and comes in floods.
  if (known.status >= 500 && (known !== error || known.cause !== undefined)) {
    request.log.error({ err: error }, 'request failed')
  }
  // The id is set once more for requests that fail before any hook has seen them.
  reply.header('x-request-id', request.id)
  // The rest of the body would only be thrown away; and of one that was read in part, Node throws nothing away: the next
  // request would wait behind it for ever.
  if (known.status === 413 || (request.raw.readableDidRead && !request.raw.complete)) closeAfter(reply)
  request.error_code = known.code
  request.client_id ??= known.app_id
  return rendererOf(originForm(request.raw.url ?? '/'))(reply, known)
}

export const renderNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const [path = ''] = originForm(request.raw.url ?? '/').split('?', 1)
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path
  return renderError(fail('route_not_found', `No endpoint has the path ${shown}`), request, reply)
}

/** What went wrong, in the catalogue's words; anything unforeseen is a server_error that shows no internals. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStorageFault(error)) {
    return fail('service_unavailable', 'The database cannot answer now; try again shortly', {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  }
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('body_too_large', 'The request body is too large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail('media_type_unsupported', 'This endpoint does not read bodies of that media type')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return fail('request_malformed', 'The request cannot be read', { cause: error })
  }
  return fail('server_error', 'Something went wrong on our side', { cause: error })
}
