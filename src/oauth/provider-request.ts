import { IncomingMessage } from 'node:http'
import Provider, { type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { From } from '../domain/audit/audit.ts'
import { originForm } from '../lib/origin-form.ts'
import type { ClientFacts, NewArtifact, TokenFamily } from '../storage/port/index.ts'

/** Data of one request for the provider's adapter, hooks and middleware. */
export interface RequestContext {
  /** The sender's address and the request id, for the audit log. */
  from: From
  /** The client that the request names, where the route has looked it up. */
  client?: ClientFacts
  /** The CORS headers of the response; without them, script of another origin may not read it. */
  cors?: Record<string, string>
  /** The access token to introspect or revoke (verified-token.ts). */
  token?: AdapterPayload | null
  /** The error that the response shows as a page. */
  shown?: Error
  /** Runs when the provider has answered, before its middleware changes the answer (after-answer.ts). */
  afterAnswer?(ctx: KoaContextWithOIDC): Promise<void>
  /** The exchange of a code or refresh token (exchange.ts). */
  exchange?: Exchange
}

/** A token request that presents a code or refresh token. */
export interface Exchange {
  kind: string
  hash: string
  /** Of the tokens that it gives. */
  family: TokenFamily
  /** With an Idempotency-Key. */
  keyed: KeyedRequest | undefined
  /** The response to an earlier identical request. */
  earlier?: string
  /** The provider has accepted the code or refresh token. */
  accepted?: boolean
  /** The next refresh token. */
  next?: NewArtifact
}

/** An exchange with an Idempotency-Key (idempotency.ts). */
export interface KeyedRequest {
  /** Of the client and its key. */
  hash: string
  /** Of the grant type and its parameters. */
  fingerprint: string
  /** The code or refresh token, which alone opens the stored response. */
  presented: string
  /** Seconds for which the response can be repeated. */
  lifetime: number
}

/**
 * The request for the provider: a Node request with the body that the route has read. Like a trusted proxy, it replaces
 * Host and the X-Forwarded headers, from which the provider derives addresses, by the issuer's.
 */
export class ProviderRequest extends IncomingMessage {
  readonly context: RequestContext

  constructor(request: IncomingMessage, issuer: URL, body: Buffer | null, context: RequestContext) {
    super(request.socket)
    this.context = context
    this.method = request.method
    this.httpVersionMajor = request.httpVersionMajor
    this.url = originForm(request.url ?? '/')
    this.headers = headersFor(request, issuer, body)
    // Node destroys the socket of a message that ends before it is complete.
    this.complete = true
    if (body !== null) this.push(body)
    this.push(null)
  }
}

function headersFor(request: IncomingMessage, issuer: URL, body: Buffer | null): IncomingMessage['headers'] {
  const headers: IncomingMessage['headers'] = {}
  for (const [name, value] of Object.entries(request.headers))
    if (!name.startsWith('x-forwarded-')) headers[name] = value
  headers.host = issuer.host
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  if (body !== null) {
    delete headers['transfer-encoding']
    headers['content-length'] = String(body.length)
    // RFC 6749 §5.2: the token endpoint answers in JSON, also to a client that prefers HTML.
    headers.accept = 'application/json'
  }
  return headers
}

export const contextOf = ({ req }: KoaContextWithOIDC): RequestContext => (req as ProviderRequest).context

/** For adapter methods, which get no `ctx`; undefined outside the provider's own routes. */
export const currentContext = (): RequestContext | undefined => Provider.ctx && contextOf(Provider.ctx)

/** The client of the current request, if the provider reads the same client_id as the route did. */
export const currentClient = (client_id: string): ClientFacts | undefined => {
  const client = currentContext()?.client
  return client?.client_id === client_id ? client : undefined
}
