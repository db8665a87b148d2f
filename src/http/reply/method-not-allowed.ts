import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/**
 * RFC 9110 §15.5.6: a method that a path does not have is answered with 405 and the Allow header. To be called before
 * the first route is there; what it returns, after the last one.
 */
export function methodsNotAllowed(app: FastifyInstance): () => void {
  const urls = new Set<string>()
  app.addHook('onRoute', ({ url }) => void urls.add(url))
  return () => {
    for (const url of Array.from(urls)) refuseTheRest(app, url)
  }
}

function refuseTheRest(app: FastifyInstance, url: string): void {
  const allowed = methods.filter(method => app.hasRoute({ method, url }))
  const allow = allowed.join(', ')
  const refuse = async (request: FastifyRequest) => {
    throw fail('method_not_allowed', `${request.method} is not allowed here; use ${allow}`, {
      headers: { allow },
    })
  }
  const method = methods.filter(method => !allowed.includes(method))
  // Refused before the body is read: its media type is then not looked at either.
  if (method.length > 0) app.route({ method, url, onRequest: refuse, handler: refuse })
}
