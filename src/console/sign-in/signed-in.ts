import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Sessions, sessionLifetime } from '../../domain/accounts/sessions.ts'
import { byAccount, type From } from '../../domain/audit/audit.ts'
import type { Account } from '../../storage/port/index.ts'

export interface SignedIn {
  account(request: FastifyRequest): Promise<Account | null>
  /** False when the account was disabled, or its password changed, after the password was checked. */
  start(request: FastifyRequest, reply: FastifyReply, account: Account): Promise<boolean>
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** The cookie's value; empty when there is none. */
  valueOf(request: FastifyRequest): string
}

/** The origin of a request, for the audit log. */
export const fromOf = (request: FastifyRequest): From => ({ address: request.ip, request_id: request.id })

/** Cookie options of the pages. Lax: a merchant who arrives from an app's site is still signed in. */
export const cookieOptions = (secure: boolean): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure,
})

/** Under https the name itself forbids a cookie set by another host or without encryption (RFC 6265bis §4.1.3). */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

/** Holds the secret that a browser's CSRF tokens are derived from. */
export const csrfCookie = (secure: boolean): string => cookieName('tillgate_csrf', secure)

export function createSignedIn(sessions: Sessions, secure: boolean): SignedIn {
  const name = cookieName('tillgate_session', secure)
  const options = cookieOptions(secure)
  const valueOf = (request: FastifyRequest): string | undefined => request.cookies[name]
  return {
    valueOf: request => valueOf(request) ?? '',
    async account(request) {
      const value = valueOf(request)
      return value === undefined ? null : sessions.find(value)
    },
    async start(request, reply, account) {
      const value = await sessions.start(account, fromOf(request), request.headers['user-agent'] ?? null)
      if (value === null) return false
      const previous = valueOf(request)
      if (previous !== undefined) await sessions.end(previous, null)
      reply.setCookie(name, value, { ...options, maxAge: sessionLifetime })
      // The next page sets a new secret: nobody who knows or planted the old one can forge a form of this session.
      reply.clearCookie(csrfCookie(secure), options)
      return true
    },
    async end(request, reply) {
      const value = valueOf(request)
      const account = value === undefined ? null : await sessions.find(value)
      if (account) await sessions.end(String(value), byAccount(account, fromOf(request)))
      reply.clearCookie(name, options)
    },
  }
}
