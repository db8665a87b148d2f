import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageErrorHandler } from './console/error-page.ts'
import { fail } from './errors.ts'
import { envelopeErrorHandler } from './http/envelope.ts'
import { oauthErrorHandler } from './http/oauth/errors.ts'
import { originForm } from './lib/origin-form.ts'

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Which renderer answers for a path, also when no route has it: three surfaces over one catalogue. */
function errorHandlerOf(url: string): ErrorHandler {
  if (/^\/(integration|platform|health|metrics|openapi)/.test(url)) return envelopeErrorHandler
  return /^\/(auth|\.well-known)\//.test(url) ? oauthErrorHandler : pageErrorHandler
}

export const renderError: ErrorHandler = (error, request, reply) =>
  // The id is set once more for requests that fail before any hook has seen them.
  errorHandlerOf(originForm(request.raw.url ?? '/'))(error, request, reply.header('x-request-id', request.id))

export const renderNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const [path = ''] = originForm(request.raw.url ?? '/').split('?', 1)
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path
  return renderError(fail('route_not_found', `No endpoint has the path ${shown}`), request, reply)
}
