import type { FastifyReply } from 'fastify'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../errors.ts'
import { pageReason } from '../oauth/authorize-request.ts'
import type { Brand } from '../storage/port/index.ts'
import { notOpenPage } from './consent/closed.view.ts'
import { messagePage, type Page } from './layout.ts'
import { securityHeaders } from './security-headers.ts'
import { sendHtml } from './send-html.ts'

const titles: Record<number, string> & Record<400 | 500, string> = {
  400: 'The server could not read this request',
  403: 'You may not see this page',
  404: 'Page not found',
  405: 'This page does not support that action',
  413: 'The form is too large',
  414: 'The app’s request is too long. Go back to the app and try again, or contact its developer',
  431: 'Your browser sent too much data. Delete this site’s cookies, then try again',
  429: 'Too many requests came from your network. Wait a few minutes, then try again',
  500: 'Something went wrong on our side',
  503: 'The service is not available right now',
}

/**
 * RFC 6749 §4.1.2.1: a request with a wrong client or redirect URI gets a page, and no redirect to the URI that it
 * names.
 */
export function renderAuthorizationError(ctx: KoaContextWithOIDC, error: Error, brand: Brand): void {
  ctx.set(securityHeaders())
  ctx.type = 'text/html; charset=utf-8'
  if (ctx.status >= 500) {
    const reference = `Reference: ${ctx.res.getHeader('x-request-id')}`
    ctx.body = messagePage(titles[ctx.status] ?? titles[500], reference)(brand)
    return
  }
  if (error instanceof errors.SessionNotFound) {
    ctx.body = notOpenPage(undefined)(brand)
    return
  }
  ctx.body = messagePage(
    'The app’s request is not valid',
    `${pageReason(ctx, error)}. Go back to the app and try again, or contact its developer.`,
  )(brand)
}

/** An error as a page. It shows the request id, because support needs it. */
export function sendErrorPage(reply: FastifyReply, { status, headers, cause }: ApiError): FastifyReply {
  if ((cause as { code?: string } | undefined)?.code?.startsWith('FST_CSRF_')) {
    const advice = 'It was open for too long, or cookies are off. Go back, reload the page and try again.'
    return sendHtml(reply, messagePage('This form is no longer valid', advice), 403)
  }
  const page = errorPage(status, reply.request.id)
  return sendHtml(reply.headers({ ...securityHeaders(), ...headers }), page, status)
}

export function errorPage(status: number, request_id: string): Page {
  const title = titles[status] ?? titles[status >= 500 ? 500 : 400]
  const action = { href: '/', label: 'Go to the start page' }
  const leads = status < 500 && status !== 429 ? { action } : {}
  const advice = status === 404 ? 'Check the address for typos, or begin at the start page. ' : ''
  return messagePage(title, `${advice}Reference: ${request_id}`, leads)
}
