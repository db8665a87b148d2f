import type { FastifyInstance } from 'fastify'
import { html } from 'ghtml'
import { allowOnly } from '../http/route.ts'
import type { ConsoleDeps } from './index.ts'
import { layout, messagePage } from './layout.ts'
import { sendPage } from './send-page.ts'

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
  const hidden = { schema: { hide: true } as never }

  app.get('/login', hidden, async (request, reply) => {
    const next = safeNext((request.query as { next?: unknown }).next, issuer)
    if (await signedIn.account(request)) return reply.redirect(next, 303)
    return sendPage(reply, loginPage({ csrf: reply.generateCsrf(), next, email: '' }))
  })

  app.post('/login', { ...hidden, preHandler: app.csrfProtection }, async (request, reply) => {
    const { email, password, next: wanted } = textFields(request.body)
    const next = safeNext(wanted, issuer)
    const attempt = { name: email.trim().toLowerCase(), address: request.ip }
    const seconds = await signInThrottle.take(attempt)
    if (seconds > 0) {
      reply.header('retry-after', String(seconds))
      return sendPage(
        reply,
        messagePage('Too many attempts', `Wait ${seconds} seconds, then go back and try again.`),
        429,
      )
    }
    const account = await accounts.signIn(email, password)
    if (!account) {
      request.log.info({ event: 'sign_in_failed' }, 'sign-in refused')
      return sendPage(reply, loginPage({ csrf: reply.generateCsrf(), next, email, problem: refused }), 401)
    }
    await signInThrottle.forgive(attempt)
    await signedIn.start(request, reply, account)
    return reply.redirect(next, 303)
  })

  app.post('/logout', { ...hidden, preHandler: app.csrfProtection }, async (request, reply) => {
    await signedIn.end(request, reply)
    return reply.redirect('/login', 303)
  })
  allowOnly(app, '/login', 'GET', 'HEAD', 'POST')
  allowOnly(app, '/logout', 'POST')
}

/** Back to a page of ours only: an address elsewhere, or one that a browser could read as elsewhere, is dropped. */
export function safeNext(next: unknown, issuer: string): string {
  const home = '/account/apps'
  if (typeof next !== 'string' || !localPath.test(next)) return home
  const url = URL.parse(next, issuer)
  if (url?.origin !== new URL(issuer).origin) return home
  const path = url.pathname + url.search
  // Looked at once more: `/.//elsewhere` is a path of ours until its dot is resolved.
  return localPath.test(path) ? path : home
}

/** One slash, not followed by another one or a backslash, then printable ASCII without a backslash. */
const localPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

function textFields(body: unknown): Required<LoginForm> {
  const form = (body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  return { email: text('email'), password: text('password'), next: text('next') }
}

interface LoginView {
  csrf: string
  next: string
  email: string
  problem?: string
}

const loginPage = ({ csrf, next, email, problem }: LoginView): string =>
  layout(
    'Sign in',
    html`<h1>Sign in</h1>
      !${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
      <form method="post" action="/login">
        <input type="hidden" name="_csrf" value="${csrf}">
        <input type="hidden" name="next" value="${next}">
        <label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
        <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
        <button type="submit">Sign in</button>
      </form>`,
  )
