import type { FastifyReply } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../errors.ts'
import { messagePage } from './layout.ts'
import { securityHeaders } from './security-headers.ts'
import { sendHtml } from './send-html.ts'

const titles: Record<number, string> & Record<400 | 500, string> = {
  400: 'This request cannot be read',
  404: 'There is no such page',
  405: 'This page cannot be used that way',
  429: 'Too many requests came from your address: wait a few minutes, then try again',
  500: 'Something went wrong on our side',
  503: 'The service cannot answer right now',
}

/**
 * RFC 6749 §4.1.2.1: a request whose client or redirect URI is not right ends on a page of ours, never at an address
 * that it brought along.
 */
export function renderAuthorizationError(ctx: KoaContextWithOIDC, error: Error): void {
  const { error_description } = error as { error_description?: string }
  ctx.set(securityHeaders())
  ctx.type = 'text/html; charset=utf-8'
  if (ctx.status >= 500) {
    const reference = `Reference: ${ctx.res.getHeader('x-request-id')}`
    ctx.body = messagePage(titles[ctx.status] ?? titles[500], reference)
    return
  }
  const reason = error_description ?? 'The app that sent you here made a request that cannot be answered'
  ctx.body = messagePage(
    'The app’s request is not valid',
    `${reason}. Go back to the app, or tell its maker.`,
  )
}

/** Errors as a person can use them; the request id is what support will ask for. */
export function sendErrorPage(reply: FastifyReply, { status, headers, cause }: ApiError): FastifyReply {
  if ((cause as { code?: string } | undefined)?.code?.startsWith('FST_CSRF_')) {
    const advice = 'It was open for too long, or cookies are off. Go back, reload the page and try again.'
    return sendHtml(reply, messagePage('This form is no longer valid', advice), 403)
  }
  const title = titles[status] ?? titles[status >= 500 ? 500 : 400]
  const page = messagePage(title, `Reference: ${reply.request.id}`)
  return sendHtml(reply.headers({ ...securityHeaders(), ...headers }), page, status)
}
