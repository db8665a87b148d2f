import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { PendingConsents } from '../../domain/apps/pending-consents.ts'
import { isStorageFault } from '../../domain/storage-fault.ts'
import type { Throttle } from '../../domain/accounts/throttle.ts'
import { type ApiError, fail } from '../../errors.ts'
import {
  authorizeSchema,
  introspectSchema,
  jwksSchema,
  metadataSchema,
  revokeSchema,
  tokenSchema,
} from './schemas.ts'
import { oauthErrorBody } from '../../oauth/error-body.ts'
import { metadataPath } from '../../oauth/metadata.ts'
import type { PresentedTokens } from '../../oauth/presented-tokens.ts'
import { type BeforeAnswer, providerRequest } from '../../oauth/provider-request.ts'
import type { ProviderSource } from '../../oauth/provider-source.ts'
import type { ClientFacts, Storage } from '../../storage/port/index.ts'

export interface OauthDeps {
  providers: ProviderSource
  presented: PresentedTokens
  storage: Pick<Storage, 'clients'>
  throttle: Throttle
  pending: PendingConsents
  /** An error as a person can use it. */
  sendErrorPage(reply: FastifyReply, error: ApiError): FastifyReply
  issuer: string
}

/** Larger than any honest request, whose longest part is a JWT; and the most that the provider itself will read. */
const bodyLimit = 56 * 1024

/** A waiting request is kept until its merchant has decided, so nobody may leave books with us. */
const longestRequest = 4096

/** What goes to the provider with a request. */
interface HandedOver {
  body?: Buffer | null
  beforeAnswer: BeforeAnswer
  facts?: ClientFacts | null
}

/** Spec section 5: hands each endpoint's requests to the provider, and answers the rest as RFC 6749 does. */
export function oauthApi(app: FastifyInstance, deps: OauthDeps): void {
  const { providers, presented, storage, throttle, pending, sendErrorPage, issuer } = deps
  const issuerUrl = new URL(issuer)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))

  async function handOver(
    request: FastifyRequest,
    reply: FastifyReply,
    { body = null, beforeAnswer, facts = null }: HandedOver,
  ): Promise<void> {
    const handle = await providers.handler(facts?.keys_state)
    reply.hijack()
    // The provider writes the answer by itself, so it is given the headers that every answer has.
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
    const from = { address: request.ip, request_id: request.id }
    const asked = providerRequest(request.raw, issuerUrl, body, { from, beforeAnswer, facts, used: null })
    await handle(asked, reply.raw)
  }

  async function read(
    request: FastifyRequest,
    reply: FastifyReply,
    beforeAnswer: BeforeAnswer = async () => {},
  ): Promise<void> {
    if ((request.raw.url ?? '').length > longestRequest) {
      throw fail('request_malformed', `the request has more than ${longestRequest} characters`)
    }
    await handOver(request, reply, { beforeAnswer })
  }

  /** Every request that leads to the consent page is kept for it, so an address may not begin any number. */
  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const seconds = await pending.wait(request.ip).catch(error => {
      // The provider will meet the same fault, and tells of it on a page.
      if (!isStorageFault(error)) throw error
      return 0
    })
    if (seconds > 0) {
      const headers = { 'retry-after': String(seconds) }
      request.error_code = 'rate_limited'
      sendErrorPage(reply, fail('rate_limited', 'too many requests for consent were begun', { headers }))
      return
    }
    await read(request, reply, async ctx => {
      if (!ctx.oidc.entities.Interaction) return
      // The request is kept by now; one that is not counted does no harm.
      await pending.began(request.ip).catch(error => {
        if (!isStorageFault(error)) throw error
      })
    })
  }

  /** Endpoints where a client proves itself: failures count, and too many are told to wait. */
  async function asClient(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<void> {
    let answer: KoaContextWithOIDC | undefined
    const named = clientIdOf(request, body)
    const beforeAnswer = async (ctx: KoaContextWithOIDC) => {
      answer = ctx
      request.client_id = ctx.oidc.client?.clientId ?? null
      if (ctx.status !== 401) return
      const seconds = await throttle.failed({ name: named, address: request.ip })
      if (seconds === 0) return
      ctx.status = 429
      ctx.set('retry-after', String(seconds))
      ctx.body = oauthErrorBody(429, `too many failed client authentications; try again in ${seconds} s`)
    }
    // RFC 6749 §5.1; of its errors at the revocation endpoint the provider does not say so.
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    const facts = await storage.clients.facts(named)
    await handOver(request, reply, { body, beforeAnswer, facts })
    // Only now has the error its last name (oauth/token-errors.ts).
    const { error } = (answer?.body ?? {}) as { error?: string }
    request.error_code = error ?? null
  }

  /** A JWT in the `token` parameter goes on under a name that the provider can look up. */
  async function asTokenHolder(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = bodyOf(request)
    const form = new URLSearchParams(body.toString())
    const [token, ...others] = form.getAll('token')
    if (token === undefined || others.length > 0 || !token.includes('.'))
      return asClient(request, reply, body)
    const handle = await presented.present(token)
    // A token that is not ours, or no longer live, is one that cannot be found (RFC 7662 §2.2, RFC 7009 §2.2).
    form.set('token', handle ?? 'unknown')
    try {
      await asClient(request, reply, Buffer.from(form.toString()))
    } finally {
      if (handle !== null) presented.forget(handle)
    }
  }

  const plain = (request: FastifyRequest, reply: FastifyReply) => read(request, reply)
  app.get('/auth/v2/authorize', { schema: authorizeSchema }, begin)
  app.get('/auth/v2/authorize/:uid', plain)
  app.get('/auth/v2/jwks', { schema: jwksSchema }, plain)
  app.get(metadataPath, { schema: metadataSchema }, plain)
  app.post('/auth/v2/token', { schema: tokenSchema }, async (request, reply) =>
    asClient(request, reply, bodyOf(request)),
  )
  app.post('/auth/v2/introspect', { schema: introspectSchema }, asTokenHolder)
  app.post('/auth/v2/revoke', { schema: revokeSchema }, asTokenHolder)
}

const bodyOf = (request: FastifyRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)

/**
 * Whom the client says it is: the form's word or that of the Basic header. For counting, and for asking early; what is
 * found counts only if the provider reads the same name.
 */
function clientIdOf(request: FastifyRequest, body: Buffer): string {
  const named = new URLSearchParams(body.toString()).get('client_id')
  if (named !== null) return named
  const encoded = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const [id = ''] = Buffer.from(encoded, 'base64').toString().split(':', 1)
  // RFC 6749 §2.3.1: it is form-encoded. Not decoded, each way to write one id would count for itself.
  return new URLSearchParams(`id=${id.replaceAll('&', '%26')}`).get('id') ?? ''
}
