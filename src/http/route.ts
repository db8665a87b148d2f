import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { checkLive, type Needed, type Principal, rejectScope } from '../domain/reading/access.ts'
import type { Bearer } from '../oauth/bearer.ts'
import type { Storage } from '../storage/port/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
  interface FastifyContextConfig {
    /** The media types that the route reads, for the message of a 415. */
    media_types?: readonly string[]
  }
}

export type App = FastifyInstance<
  FastifyInstance['server'],
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyInstance['log'],
  TypeBoxTypeProvider
>

/** The principal of a route that `requireScope` guards. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error(`${request.routeOptions.url} was reached without a principal`)
  return request.principal
}

/**
 * Spec 5: checks the token (401), its scope (403), and only then the parameters (422). Routes set `attachValidation`, so
 * that bad parameters are reported only to a token with the scope.
 */
export function guard({ bearer, storage }: { bearer: Bearer; storage: Storage }) {
  async function authenticate(
    request: FastifyRequest,
    scopes: Exclude<Needed, string>,
    checkFirst: boolean,
  ): Promise<void> {
    const principal = await bearer.authenticate(request.headers.authorization)
    request.principal = principal
    if (!scopes.some(scope => principal.scopes.has(scope))) await rejectScope(storage, principal, scopes)
    if (checkFirst) await checkLive(storage, principal, scopes)
  }

  async function rejectParameters(request: FastifyRequest, scopes: Needed): Promise<void> {
    await checkLive(storage, principalOf(request), scopes)
    throw request.validationError
  }

  // A list reads the facts about its token together with its data; a route that reads none sets `checkFirst`.
  return (scope: Needed, { checkFirst = false } = {}) => {
    const scopes = typeof scope === 'string' ? ([scope] as const) : scope
    return {
      attachValidation: true,
      // Before the body is read, so that an unauthenticated client uses no memory. Most tokens are in the cache.
      onRequest(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
        const known = checkFirst ? null : bearer.recall(request.headers.authorization)
        if (!known || !scopes.some(name => known.scopes.has(name)))
          return authenticate(request, scopes, checkFirst)
        request.principal = known
        done()
      },
      preHandler(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
        if (request.validationError) return rejectParameters(request, scopes)
        done()
      },
    }
  }
}
