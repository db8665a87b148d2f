import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Scope } from '../contract/scopes.ts'
import { checkLive, type Principal } from '../domain/reading/access.ts'
import { type ApiError, fail } from '../errors.ts'
import type { Bearer } from '../oauth/bearer.ts'
import type { Storage } from '../storage/port/index.ts'
import { insufficientScope } from './reply/challenges.ts'

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

/** Any of the scopes would do; the challenge names the first. */
export const insufficient = (...scopes: readonly [Scope, ...Scope[]]): ApiError =>
  fail('scope_insufficient', `This token does not carry the scope ${scopes.join(' or ')}`, {
    headers: insufficientScope(scopes[0]),
  })

/**
 * Spec 5: checks the token (401), its scope (403), and only then the parameters (422). Routes set `attachValidation`, so
 * that bad parameters are reported only to a token with the scope.
 */
export function guard({ bearer, storage }: { bearer: Bearer; storage: Storage }) {
  async function authenticate(
    request: FastifyRequest,
    scopes: readonly [Scope, ...Scope[]],
    checkFirst: boolean,
  ): Promise<void> {
    const principal = await bearer.authenticate(request.headers.authorization)
    request.principal = principal
    const granted = scopes.some(scope => principal.scopes.has(scope))
    if (granted && !checkFirst) return
    await checkLive(storage, principal)
    if (granted) return
    throw insufficient(...scopes)
  }

  async function rejectParameters(request: FastifyRequest): Promise<void> {
    await checkLive(storage, principalOf(request))
    throw request.validationError
  }

  // A list reads the facts about its token together with its data; a route that reads none sets `checkFirst`.
  return (scope: Scope | readonly [Scope, ...Scope[]], { checkFirst = false } = {}) => {
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
        if (request.validationError) return rejectParameters(request)
        done()
      },
    }
  }
}
