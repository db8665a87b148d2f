import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { mayCallFrom } from '../../domain/apps/origins.ts'
import type { PendingConsents } from '../../domain/apps/pending-consents.ts'
import { isStorageFault } from '../../domain/storage-fault.ts'
import type { Throttle } from '../../domain/accounts/throttle.ts'
import { type ApiError, fail } from '../../errors.ts'
import { readableBy } from '../edge/cors.ts'
import { maxAuthorizeUrl } from '../edge/header-limits.ts'
import {
  authorizeSchema,
  introspectSchema,
  jwksSchema,
  metadataSchema,
  revokeSchema,
  tokenSchema,
} from './schemas.ts'
import { pageReason } from '../../oauth/authorize-request.ts'
import { clientIdOf } from '../../oauth/client-authentication.ts'
import type { IssueClientToken } from '../../oauth/client-credentials.ts'
import { oauthErrorBody } from '../../oauth/error-body.ts'
import { metadataPath } from '../../oauth/metadata.ts'
import { contextOf, ProviderRequest, type RequestContext } from '../../oauth/provider-request.ts'
import type { ProviderSource } from '../../oauth/provider-source.ts'
import { type VerifyAccessToken, verifiedTokenHandle } from '../../oauth/verified-token.ts'
import type { App, ClientFacts, Storage } from '../../storage/port/index.ts'

export interface OauthDeps {
  providers: ProviderSource
  verifyAccessToken: VerifyAccessToken
  issueClientToken: IssueClientToken
  storage: Pick<Storage, 'clients'>
  throttle: Throttle
  pending: PendingConsents
  /** Renders an error as a page. */
  sendErrorPage(reply: FastifyReply, error: ApiError): FastifyReply
  issuer: string
}

/** The most that the provider itself reads. */
const bodyLimit = 56 * 1024

type AfterAnswer = NonNullable<RequestContext['afterAnswer']>

/** Spec section 5: passes the requests of each endpoint to the provider, and answers the rest as RFC 6749 does. */
export function oauthApi(app: FastifyInstance, deps: OauthDeps): void {
  const {
    providers,
    verifyAccessToken,
    issueClientToken,
    storage,
    throttle,
    pending,
    sendErrorPage,
    issuer,
  } = deps
  const issuerUrl = new URL(issuer)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))

  async function passToProvider(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Buffer | null,
    context: Omit<RequestContext, 'from'>,
  ): Promise<void> {
    const handle = await providers.handler(context.client?.keys_state)
    reply.hijack()
    // The provider writes the response itself; these are the headers that every response has.
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
    const from = { address: request.ip, request_id: request.id }
    await handle(new ProviderRequest(request.raw, issuerUrl, body, { ...context, from }), reply.raw)
  }

  async function get(request: FastifyRequest, reply: FastifyReply, afterAnswer?: AfterAnswer): Promise<void> {
    const { url = '' } = request.raw
    const length = decodedLength(url)
    if (length > maxAuthorizeUrl) {
      throw fail('url_too_long', `the URL has ${length} bytes; the most is ${maxAuthorizeUrl}`)
    }
    if (hasTooManyParameters(url)) throw fail('url_too_long', tooManyParameters)
    await passToProvider(request, reply, null, afterAnswer ? { afterAnswer } : {})
  }

  /** The server stores every request that leads to the consent page, so it limits how many an address begins. */
  async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const seconds = await pending.wait(request.ip).catch(error => {
      // The provider meets the same fault, and renders its page.
      if (!isStorageFault(error)) throw error
      return 0
    })
    if (seconds > 0) {
      const headers = { 'retry-after': String(seconds) }
      request.error_code = 'rate_limited'
      sendErrorPage(
        reply,
        fail('rate_limited', 'too many authorization requests came from this address', { headers }),
      )
      return
    }
    await get(request, reply, async ctx => {
      noteRefusal(request, ctx)
      if (!ctx.oidc.entities.Interaction) return
      // The request is stored by now; one that is missing from the count does no harm.
      await pending.began(request.ip).catch(error => {
        if (!isStorageFault(error)) throw error
      })
    })
  }

  /** Begins every response to a client, and looks up the client that the request names. */
  function beginForClient(
    request: FastifyRequest,
    reply: FastifyReply,
    form: URLSearchParams,
  ): Promise<ClientFacts> {
    // RFC 6749 §5.1; the provider omits these from errors of the revocation endpoint.
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache', vary: 'origin' })
    return storage.clients.facts(clientIdOf(form, request.headers.authorization))
  }

  /** An endpoint where clients authenticate: counts failures, and answers 429 when there are too many. */
  async function clientEndpoint(
    request: FastifyRequest,
    reply: FastifyReply,
    { client, body, token }: { client: ClientFacts; body: Buffer; token?: RequestContext['token'] },
  ): Promise<void> {
    let response: KoaContextWithOIDC | undefined
    const afterAnswer: AfterAnswer = async ctx => {
      response = ctx
      request.client_id = ctx.oidc.client?.clientId ?? null
      if (ctx.status !== 401) return
      const seconds = await throttle.count({ name: client.client_id, address: request.ip })
      if (seconds === 0) return
      ctx.status = 429
      ctx.set('retry-after', String(seconds))
      ctx.body = oauthErrorBody(429, `too many failed client authentications; try again in ${seconds} s`)
    }
    const cors = corsFor(request, client.app)
    await passToProvider(request, reply, body, {
      afterAnswer,
      client,
      token: token ?? null,
      ...(cors && { cors }),
    })
    // Read after the provider's last middleware, which may replace the code (oauth/token-errors.ts).
    const { error, error_description } = (response?.body ?? {}) as Record<string, string | undefined>
    request.error_code = error ?? null
    if (error_description !== undefined) request.problem = { message: error_description }
  }

  async function tokenEndpoint(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    const body = bodyOf(request)
    const form = formOf(body)
    const client = await beginForClient(request, reply, form)
    const issued = await issueClientToken({ body, headers: request.headers, client })
    if (!issued) return clientEndpoint(request, reply, { client, body })
    request.client_id = client.client_id
    return reply.send(issued)
  }

  /** Introspection and revocation: verifies a JWT here, because the provider accepts none. */
  async function givenTokenEndpoint(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = bodyOf(request)
    const form = formOf(body)
    const client = await beginForClient(request, reply, form)
    const [value, ...others] = form.getAll('token')
    if (value === undefined || others.length > 0 || !value.includes('.'))
      return clientEndpoint(request, reply, { client, body })
    const token = await verifyAccessToken(value)
    // Without a verified token, the provider finds nothing under the handle (RFC 7662 §2.2, RFC 7009 §2.2).
    form.set('token', verifiedTokenHandle)
    await clientEndpoint(request, reply, { client, body: Buffer.from(form.toString()), token })
  }

  const plain = (request: FastifyRequest, reply: FastifyReply) => get(request, reply)
  app.get('/auth/v2/authorize', { schema: authorizeSchema }, authorize)
  app.get('/auth/v2/authorize/:uid', plain)
  app.get('/auth/v2/jwks', { schema: jwksSchema }, plain)
  app.get(metadataPath, { schema: metadataSchema }, plain)
  app.post('/auth/v2/token', { schema: tokenSchema }, tokenEndpoint)
  app.post('/auth/v2/introspect', { schema: introspectSchema }, givenTokenEndpoint)
  app.post('/auth/v2/revoke', { schema: revokeSchema }, givenTokenEndpoint)
}

/** For the request log of the app. No redirect tells it of a request that gets a page. */
function noteRefusal(request: FastifyRequest, ctx: KoaContextWithOIDC): void {
  const { shown } = contextOf(ctx)
  if (!(shown instanceof errors.OIDCProviderError)) return
  request.client_id = ctx.oidc.client?.clientId ?? null
  request.error_code = shown.error
  request.problem = { message: pageReason(ctx, shown) }
}

const formType = 'application/x-www-form-urlencoded'

function bodyOf(request: FastifyRequest): Buffer {
  const sent = request.headers['content-type'] ?? ''
  const [type = ''] = sent.split(';', 1)
  if (type !== '' && type.trim().toLowerCase() !== formType) {
    throw fail('media_type_unsupported', `the body is ${type.slice(0, 100)}; this endpoint reads ${formType}`)
  }
  const coding = request.headers['content-encoding'] ?? 'identity'
  if (coding.trim().toLowerCase() !== 'identity') {
    throw fail(
      'media_type_unsupported',
      `the Content-Encoding is ${coding.slice(0, 100)}; send the body as it is`,
    )
  }
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (hasTooManyParameters(body.toString())) throw fail('body_too_large', tooManyParameters)
  return body
}

/** `node:querystring`, which the provider reads with, ignores those behind them, also a second one of the same name. */
const maxParameters = 1000
const tooManyParameters = `there are more than ${maxParameters} parameters`
const hasTooManyParameters = (text: string): boolean => text.split('&').length > maxParameters

/** A public app's pages request, renew and revoke their tokens; its secret keeps every other app on its server. */
function corsFor({ headers: { origin }, routeOptions }: FastifyRequest, app: App | null) {
  const isPublic = app?.public === true && routeOptions.url !== '/auth/v2/introspect'
  return isPublic && origin !== undefined && mayCallFrom(app, origin) ? readableBy(origin) : null
}

/** Bytes of the URL without its percent-encoding. */
const decodedLength = (url: string): number => url.length - 2 * (url.match(/%[\da-f]{2}/gi)?.length ?? 0)

const formOf = (body: Buffer): URLSearchParams => new URLSearchParams(body.toString())
