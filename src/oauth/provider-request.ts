import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { From } from '../domain/audit/audit.ts'
import { originForm } from '../lib/origin-form.ts'
import type { ClientFacts } from '../storage/port/index.ts'
import { oauthErrorBody } from './error-body.ts'

/** What the provider's request carries of ours. */
interface Ours {
  /** Where it came from, for the audit log. */
  from: From
  beforeAnswer: BeforeAnswer
  /** Of the client that it names, where they were asked for already. */
  facts: ClientFacts | null
  /** The code or refresh token that it gave, until it is marked as used. */
  used: Used | null
}

interface Used {
  kind: string
  hash: string
}

/** What is to be done when the answer is known, before the client can see it. */
export type BeforeAnswer = (ctx: KoaContextWithOIDC) => Promise<void>

/**
 * A request as the provider may see it. It derives addresses from the request line and from the Host and X-Forwarded
 * headers; here they are always the issuer's own, whatever the client sent. The body was read by the route, within its
 * limit. An object of its own, with what the provider and Koa look at and no more.
 */
class ProviderRequest {
  readonly method: string | undefined
  readonly httpVersionMajor: number
  readonly socket: IncomingMessage['socket']
  readonly headers: Record<string, unknown>
  url: string
  readonly readable: boolean
  readonly readableEncoding = null
  readonly iterator: () => Buffer[]
  readonly ours: Ours

  constructor(request: IncomingMessage, issuer: URL, body: Buffer | null, ours: Ours) {
    this.method = request.method
    this.httpVersionMajor = request.httpVersionMajor
    this.socket = request.socket
    this.url = originForm(request.url ?? '/')
    this.headers = headersFor(request, issuer, body)
    this.readable = body !== null
    this.iterator = () => (body === null ? [] : [body])
    this.ours = ours
  }
}

export const providerRequest = (...given: ConstructorParameters<typeof ProviderRequest>): IncomingMessage =>
  new ProviderRequest(...given) as unknown as IncomingMessage

function headersFor(request: IncomingMessage, issuer: URL, body: Buffer | null): Record<string, unknown> {
  const headers: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (!name.startsWith('x-forwarded-')) headers[name] = value
  headers['host'] = issuer.host
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  if (body !== null) {
    delete headers['transfer-encoding']
    headers['content-length'] = String(body.length)
    // RFC 6749 §5.2: the token endpoint answers in JSON, also to a client that would rather have a page.
    headers['accept'] = 'application/json'
  }
  return headers
}

const oursOf = ({ req }: KoaContextWithOIDC): Ours => (req as unknown as ProviderRequest).ours

export const fromOf = (ctx: KoaContextWithOIDC): From => oursOf(ctx).from

/** The facts of this client, if the request being answered names it and they were asked for. */
export const factsOf = (ctx: KoaContextWithOIDC | undefined, client_id: string): ClientFacts | null => {
  const facts = ctx ? oursOf(ctx).facts : null
  // The provider's word: it may read the request otherwise than whoever asked for the facts.
  return facts?.client_id === client_id ? facts : null
}

/**
 * A code or refresh token is marked as used together with the storing of the refresh token that takes its place: a
 * fault between the two would leave the app with neither, and a second try would look like a theft.
 */
export const useUp = (ctx: KoaContextWithOIDC | undefined, used: Used): void => {
  if (!ctx) throw new Error('codes and refresh tokens are used up by requests only')
  oursOf(ctx).used = used
}

/** What the request being answered uses up, for whoever marks it as used. */
export const takeUsed = (ctx: KoaContextWithOIDC | undefined): Used | null => {
  if (!ctx) return null
  const ours = oursOf(ctx)
  const { used } = ours
  ours.used = null
  return used
}

/** Calls `beforeAnswer`; a middleware of the provider. */
export async function callBeforeAnswer(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  try {
    if (ctx.status < 400 && takeUsed(ctx)) throw new Error('tokens were made of what was not marked as used')
    await oursOf(ctx).beforeAnswer(ctx)
  } catch (error) {
    // As the provider answers its own faults, and reports them.
    ctx.status = 500
    ctx.body = oauthErrorBody(500, 'something went wrong on our side')
    ctx.oidc.provider.emit('server_error', ctx, error as Error)
  }
}
