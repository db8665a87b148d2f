import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { From } from '../domain/audit.ts'
import { oauthErrorBody } from './error-body.ts'
import { originForm } from '../lib/origin-form.ts'

/**
 * A request as the provider may see it. It derives addresses from the request line and from the Host and X-Forwarded
 * headers; here they are always the issuer's own, whatever the client sent. The body was read by the route, within its
 * limit.
 */
export function providerRequest(
  request: IncomingMessage,
  issuer: URL,
  body: Buffer | null,
  { from, beforeAnswer }: { from: From; beforeAnswer: BeforeAnswer },
): IncomingMessage {
  const headers: Record<string, unknown> = { ...request.headers }
  for (const name of Object.keys(headers)) if (name.startsWith('x-forwarded-')) delete headers[name]
  headers['host'] = issuer.host
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  if (body !== null) {
    delete headers['transfer-encoding']
    headers['content-length'] = String(body.length)
    // RFC 6749 §5.2: the token endpoint answers in JSON, also to a client that would rather have a page.
    headers['accept'] = 'application/json'
  }
  return Object.create(request, {
    headers: { value: headers },
    url: { value: originForm(request.url ?? '/'), writable: true },
    beforeAnswer: { value: beforeAnswer },
    from: { value: from },
    // Koa keeps the original address on the request; it must not land on the shared one.
    originalUrl: { value: undefined, writable: true },
    ...(body !== null && {
      readable: { value: true },
      readableEncoding: { value: null },
      iterator: { value: () => Readable.from([body]) },
    }),
  })
}

/** What is to be done when the answer is known, before the client can see it. */
export type BeforeAnswer = (ctx: KoaContextWithOIDC) => Promise<void>

/** Where the request came from, for the audit log. */
export const fromOf = (ctx: KoaContextWithOIDC): From => (ctx.req as IncomingMessage & { from: From }).from

/** Calls it; a middleware of the provider. */
export async function callBeforeAnswer(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  try {
    await (ctx.req as IncomingMessage & { beforeAnswer: BeforeAnswer }).beforeAnswer(ctx)
  } catch (error) {
    // As the provider answers its own faults, and reports them.
    ctx.status = 500
    ctx.body = oauthErrorBody(500, 'something went wrong on our side')
    ctx.oidc.provider.emit('server_error', ctx, error as Error)
  }
}
