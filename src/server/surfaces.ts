import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendErrorPage } from '../console/error-page.ts'
import { isStorageFault } from '../domain/storage-fault.ts'
import { ApiError, fail } from '../errors.ts'
import { sendError } from '../http/reply/envelope.ts'
import { closeAfter } from '../http/edge/delayed-close.ts'
import { sendOauthError } from '../http/oauth/errors.ts'
import { originForm } from '../lib/origin-form.ts'

type Renderer = (reply: FastifyReply, error: ApiError) => FastifyReply

const renderers = { envelope: sendError, oauth: sendOauthError, page: sendErrorPage } satisfies Record<
  string,
  Renderer
>

/** The surface of a path, also of a path without a route: three surfaces, one catalogue of errors. */
export function surfaceOf(method: string, url: string): keyof typeof renderers {
  if (/^\/(integration|platform|health|metrics|openapi)/.test(url)) return 'envelope'
  // People open the authorization endpoint in a browser. Only programs send it another method.
  if (/^\/auth\/v2\/authorize(?:[/?]|$)/.test(url) && /^(GET|HEAD)$/.test(method)) return 'page'
  return /^\/(auth|\.well-known)\//.test(url) ? 'oauth' : 'page'
}

/** The only error handler. */
export function renderError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error, request)
  // A deliberate rejection, such as under overload, is not a fault and may come in large numbers.
  if (isStorageFault(error)) request.server.outages.failed(error, request.id)
  else if (known.status >= 500 && (known !== error || known.cause !== undefined)) {
    request.log.error({ err: error }, 'request failed')
  }
  // Set again here, because a request may fail before the first hook runs.
  reply.header('x-request-id', request.id)
  // Node does not discard the rest of a body that was read in part: the next request on the connection would wait for
  // ever. After 413 the rest would be read in vain.
  if (known.status === 413 || (request.raw.readableDidRead && !request.raw.complete)) closeAfter(reply)
  request.error_code = known.code
  request.problem = known
  request.client_id ??= known.app_id
  return renderers[surfaceOf(request.method, originForm(request.raw.url ?? '/'))](reply, known)
}

export const renderNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const [path = ''] = originForm(request.raw.url ?? '/').split('?', 1)
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path
  return renderError(fail('route_not_found', `No endpoint has the path ${shown}`), request, reply)
}

/** Maps an error to the catalogue; an unexpected one becomes server_error, which shows no internals. */
function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (isStorageFault(error)) {
    return fail('service_unavailable', 'The database cannot answer now; try again shortly', { cause: error })
  }
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('body_too_large', 'The request body is too large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail('media_type_unsupported', wrongMediaType(request))
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return fail('request_malformed', 'The request cannot be read', { cause: error })
  }
  return fail('server_error', 'Something went wrong on our side', { cause: error })
}

/** `curl -d` sends a form without saying so: the answer names what was sent and what is accepted. */
function wrongMediaType({ headers, routeOptions }: FastifyRequest): string {
  const sent = headers['content-type']?.slice(0, 100)
  const accepted = routeOptions.config?.media_types ?? []
  const is = sent ? `Content-Type is ${sent}` : 'There is no Content-Type'
  return `${is}; ${accepted.length > 0 ? `it must be ${accepted.join(' or ')}` : 'this endpoint does not accept such a body'}`
}
