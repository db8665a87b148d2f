import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOriginOfApp, mayCallFrom } from '../../domain/apps/origins.ts'
import { metadataPath } from '../../oauth/metadata.ts'
import type { Storage } from '../../storage/port/index.ts'
import { headers } from '../reply/headers.ts'
import type { Path } from '../reply/method-not-allowed.ts'
import { faultHeader } from '../sandbox/header.ts'

/**
 * Cross-origin requests by script (https://fetch.spec.whatwg.org/#http-cors-protocol): from the origins of an app's
 * redirect URIs, with that app's tokens. Pages for people, /platform and introspection never allow them.
 */

const requestHeaders = ['authorization', 'content-type', 'if-none-match', 'idempotency-key']
/** Seconds for which a browser need not ask again. */
const maxAge = '600'

/** Lets script of the origin read the answer and the headers that clients use. No cookies: tokens come in a header. */
export const readableBy = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': Object.keys(headers).join(', '),
})

type Rule = 'any origin' | 'origins of apps' | 'origins of public apps'

function ruleOf(url: string): Rule | null {
  if (url === '/auth/v2/jwks' || url === metadataPath) return 'any origin'
  // A confidential app's secret does not belong in a page.
  if (url === '/auth/v2/token' || url === '/auth/v2/revoke') return 'origins of public apps'
  return url.startsWith('/integration/') ? 'origins of apps' : null
}

/** Answers the request that a browser sends before one with a token, if its origin may send that. */
export const createPreflightAnswer =
  (storage: Pick<Storage, 'apps'>, { sandbox }: { sandbox: boolean }) =>
  async (request: FastifyRequest, reply: FastifyReply, { url, methods }: Path): Promise<boolean> => {
    const { origin = '', 'access-control-request-method': method = '' } = request.headers
    const rule = ruleOf(url)
    if (rule === null) return false
    reply.header('vary', 'origin')
    const isAllowed =
      methods.includes(method) &&
      (rule === 'any origin' ||
        (await isOriginOfApp(storage, origin, { publicOnly: rule === 'origins of public apps' })))
    if (!isAllowed) return false
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': [
          ...requestHeaders,
          ...(sandbox ? [faultHeader.toLowerCase()] : []),
        ].join(', '),
        'access-control-max-age': maxAge,
      })
      .send()
    return true
  }

/** Lets script read the answers of these routes if its origin is one of the token's app. */
export function allowAppOrigins(app: FastifyInstance, storage: Pick<Storage, 'apps'>): void {
  async function allow(request: FastifyRequest, reply: FastifyReply, app_id: string): Promise<void> {
    const { origin = '' } = request.headers
    if (mayCallFrom(await storage.apps.find(app_id), origin)) reply.headers(readableBy(origin))
  }

  // Right after the token was verified: pages leave without Fastify, so that onSend is too late for them.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.origin === undefined || !request.principal) return done()
    return allow(request, reply, request.principal.claim.app_id)
  })
  // A token that has expired or lacks the scope is refused before that; its script must be able to read why.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const app_id = request.principal?.claim.app_id ?? request.client_id
    const isDecided = request.headers.origin === undefined || app_id === null
    if (isDecided || reply.hasHeader('access-control-allow-origin')) return done()
    // When the database does not respond, the answer is sent all the same.
    return allow(request, reply, app_id).catch(() => {})
  })
}
