import type { FastifyInstance } from 'fastify'
import type { Role } from '../storage/port.ts'
import type { ConsoleDeps } from './index.ts'
import { messagePage } from './layout.ts'
import { loginPage } from './login.view.ts'
import { sendHtml } from './send-html.ts'
import { fromOf } from './signed-in.ts'

interface LoginForm {
  email?: string
  password?: string
  next?: string
}

/** One answer for an unknown email, a wrong password and a disabled account. */
const refused = 'This email and password do not go together.'

export function login(
  app: FastifyInstance,
  { accounts, signedIn, signInThrottle, issuer }: ConsoleDeps,
): void {
  app.get('/login', async (request, reply) => {
    const next = safeNext((request.query as { next?: unknown }).next, issuer)
    const account = await signedIn.account(request)
    if (account) return reply.redirect(next ?? homes[account.role], 303)
    return sendHtml(reply, loginPage({ csrf: reply.generateCsrf(), next, email: '' }))
  })

  app.post('/login', { preHandler: app.csrfProtection }, async (request, reply) => {
    const { email, password, next: wanted } = textFields(request.body)
    const next = safeNext(wanted, issuer)
    const attempt = { name: email.trim().toLowerCase(), address: request.ip }
    const seconds = await signInThrottle.take(attempt)
    if (seconds > 0) {
      reply.header('retry-after', String(seconds))
      return sendHtml(
        reply,
        messagePage('Too many attempts', `Wait ${seconds} seconds, then go back and try again.`),
        429,
      )
    }
    const account = await accounts.signIn(email, password, fromOf(request))
    if (!account) {
      request.log.info({ event: 'sign_in_failed' }, 'sign-in refused')
      return sendHtml(reply, loginPage({ csrf: reply.generateCsrf(), next, email, problem: refused }), 401)
    }
    await signInThrottle.forgive(attempt)
    await signedIn.start(request, reply, account)
    return reply.redirect(next ?? homes[account.role], 303)
  })

  app.post('/logout', { preHandler: app.csrfProtection }, async (request, reply) => {
    await signedIn.end(request, reply)
    return reply.redirect('/login', 303)
  })
}

/** Where one lands who came from nowhere. There are no pages for operators yet. */
const homes: Record<Role, string> = {
  merchant: '/account/apps',
  developer: '/developer/apps',
  operator: '/docs/',
}

/** Back to a page of ours only: an address elsewhere, or one that a browser could read as elsewhere, is null. */
export function safeNext(next: unknown, issuer: string): string | null {
  if (typeof next !== 'string' || !localPath.test(next)) return null
  const url = URL.parse(next, issuer)
  if (url?.origin !== new URL(issuer).origin) return null
  const path = url.pathname + url.search
  // Looked at once more: `/.//elsewhere` is a path of ours until its dot is resolved.
  return localPath.test(path) ? path : null
}

/** One slash, not followed by another one or a backslash, then printable ASCII without a backslash. */
const localPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

function textFields(body: unknown): Required<LoginForm> {
  const form = (body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  return { email: text('email'), password: text('password'), next: text('next') }
}
