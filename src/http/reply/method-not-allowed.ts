import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/**
 * RFC 9110 §15.5.6: a path rejects the methods that it does not have with 405 and the Allow header. Call this before
 * the first route is added, and the returned function after the last one.
 */
export function methodsNotAllowed(app: FastifyInstance): () => void {
  const urls = new Set<string>()
  app.addHook('onRoute', ({ url }) => void urls.add(url))
  return () => {
    for (const url of Array.from(urls)) rejectOtherMethods(app, url)
  }
}

function rejectOtherMethods(app: FastifyInstance, url: string): void {
  const allowed = methods.filter(method => app.hasRoute({ method, url }))
  const allow = allowed.join(', ')
  const reject = async (request: FastifyRequest) => {
    throw fail('method_not_allowed', `${request.method} is not allowed here; use ${allow}`, {
      headers: { allow },
    })
  }
  const method = methods.filter(method => !allowed.includes(method))
  // Rejected before the body is read, so that its media type does not matter.
  if (method.length > 0) app.route({ method, url, onRequest: reject, handler: reject })
}
