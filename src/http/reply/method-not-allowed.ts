import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import FindMyWay from 'find-my-way'
import { fail } from '../../errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** The path of a request with a method that it does not have. */
export interface Path {
  url: string
  methods: readonly string[]
}

/** Answers the OPTIONS request of a browser, if it may; resolves to whether it has. */
type AnswerPreflight = (request: FastifyRequest, reply: FastifyReply, path: Path) => Promise<boolean>

/**
 * RFC 9110 §15.5.6: a path rejects the methods that it does not have with 405 and the Allow header. Call this before
 * the first route is added.
 */
export function rejectOtherMethods(app: FastifyInstance, answerPreflight: AnswerPreflight): void {
  const urls = new Set<string>()
  app.addHook('onRoute', ({ url }) => void urls.add(url))
  // Made for the first request that needs it: a route for each missing method took 0.4 s of the start.
  let paths: ReturnType<typeof createPaths> | undefined
  // Rejected before the body is read, so that its media type does not matter.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    paths ??= createPaths(urls)
    const url = paths.find('GET', request.raw.url ?? '')?.store as string | undefined
    if (url === undefined) return done()
    request.other_methods_route = url
    const allowed = methods.filter(method => app.hasRoute({ method, url }))
    const reject = () => {
      const allow = allowed.join(', ')
      const message = `${request.method} is not allowed here; use ${allow}`
      return fail('method_not_allowed', message, { headers: { allow } })
    }
    if (request.method !== 'OPTIONS' || request.headers.origin === undefined) return done(reject())
    return answerPreflight(request, reply, { url, methods: allowed }).then(isAnswered => {
      if (!isAnswered) throw reject()
    })
  })
}

function createPaths(urls: Iterable<string>) {
  const paths = FindMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER })
  for (const url of urls) paths.on('GET', url, () => {}, url)
  return paths
}
