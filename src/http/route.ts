import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Scope } from '../contract/scopes.ts'
import { checkLive, type Principal } from '../domain/reading/access.ts'
import { fail } from '../errors.ts'
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

/**
 * Spec 5: checks the token (401), its scope (403), and only then the parameters (422). Routes set `attachValidation`, so
 * that bad parameters are reported only to a token with the scope.
 */
export function guard({ bearer, storage }: { bearer: Bearer; storage: Storage }) {
  async function authenticate(request: FastifyRequest, scope: Scope, checkFirst: boolean): Promise<void> {
    const principal = await bearer.authenticate(request.headers.authorization)
    request.principal = principal
    const granted = principal.scopes.has(scope)
    if (granted && !checkFirst) return
    await checkLive(storage, principal)
    if (granted) return
    throw fail('scope_insufficient', `This token does not carry the scope ${scope}`, {
      headers: insufficientScope(scope),
    })
  }

  async function rejectParameters(request: FastifyRequest): Promise<void> {
    await checkLive(storage, principalOf(request))
    throw request.validationError
  }

  // A list reads the facts about its token together with its data; a route that reads none sets `checkFirst`.
  return (scope: Scope, { checkFirst = false } = {}) => ({
    attachValidation: true,
    // Before the body is read, so that an unauthenticated client uses no memory. Most tokens are in the cache.
    onRequest(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
      const known = checkFirst ? null : bearer.recall(request.headers.authorization)
      if (!known?.scopes.has(scope)) return authenticate(request, scope, checkFirst)
      request.principal = known
      done()
    },
    preHandler(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
      if (request.validationError) return rejectParameters(request)
      done()
    },
  })
}
