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
 * Spec 5: who asks (401), with which scope (403), and only then with which parameters (422). Routes set
 * `attachValidation`, so that a bad parameter is told only to a token that may know.
 */
export function guard({ bearer, storage }: { bearer: Bearer; storage: Storage }) {
  async function admit(request: FastifyRequest, scope: Scope, askFirst: boolean): Promise<void> {
    const principal = await bearer.authenticate(request.headers.authorization)
    request.principal = principal
    const granted = principal.scopes.has(scope)
    if (granted && !askFirst) return
    await checkLive(storage, principal)
    if (granted) return
    throw fail('scope_insufficient', `This token does not carry the scope ${scope}`, {
      headers: insufficientScope(scope),
    })
  }

  async function refuse(request: FastifyRequest): Promise<void> {
    await checkLive(storage, principalOf(request))
    throw request.validationError
  }

  // A list asks whether its token is live together with its data; what asks nothing of that kind says `askFirst`.
  return (scope: Scope, { askFirst = false } = {}) => ({
    attachValidation: true,
    // Before the body is read: a stranger's is not worth the memory. Most tokens are known, and wait for nothing.
    onRequest(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
      const known = askFirst ? null : bearer.recall(request.headers.authorization)
      if (!known?.scopes.has(scope)) return admit(request, scope, askFirst)
      request.principal = known
      done()
    },
    preHandler(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
      if (request.validationError) return refuse(request)
      done()
    },
  })
}
