import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { browserCookie } from '../../oauth/browser-binding.ts'
import { consentUid } from '../../oauth/provider.ts'
import { findPendingRequest } from '../../oauth/pending-request.ts'
import type { Role } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { loginPage } from './login.view.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from './signed-in.ts'

interface LoginForm {
  email: string
  password: string
  next: string
}

interface Shown {
  next: string | null
  email?: string
  problem?: string
}

/** One answer for an unknown email, a wrong password and a disabled account. */
const refused = 'This email and password do not go together. Check both and try again.'

export function login(app: FastifyInstance, deps: ConsoleDeps): void {
  const { storage, accounts, apps, providers, signedIn, signInThrottle, issuer, secure } = deps

  /** The app that one signs in to decide on. Told to the browser that it sent here, and to no other. */
  async function askingApp(request: FastifyRequest, next: string | null): Promise<string | null> {
    const uid = next === null ? null : consentUid(next)
    if (uid === null) return null
    const browser = request.cookies[browserCookie(secure)]
    const waiting = await findPendingRequest(await providers.current(), uid, browser)
    return (waiting && (await apps.find(waiting.client_id)))?.name ?? null
  }

  async function show(request: FastifyRequest, reply: FastifyReply, shown: Shown, status: number) {
    const app_name = await askingApp(request, shown.next)
    const sign_up = (await storage.switches.isOn('sign_up')) ? withNext('/signup', shown.next) : null
    const view = { email: '', ...shown, app_name, sign_up }
    return sendHtml(reply, loginPage({ ...view, csrf: reply.generateCsrf() }), status)
  }

  // Whoever types the bare address: on to their own pages, by way of signing in.
  app.get('/', async (_request, reply) => reply.redirect('/login', 303))

  app.get('/login', async (request, reply) => {
    const next = safeNext((request.query as { next?: unknown }).next, issuer)
    const account = await signedIn.account(request)
    if (account) return reply.redirect(next ?? homeOf(account.role), 303)
    return show(request, reply, { next }, 200)
  })

  app.post('/login', { preHandler: app.csrfProtection }, async (request, reply) => {
    const { email, password, next: wanted } = textFields(request.body)
    const next = safeNext(wanted, issuer)
    const attempt = { name: email.trim().toLowerCase(), address: request.ip }
    const seconds = await signInThrottle.take(attempt)
    if (seconds > 0) {
      reply.header('retry-after', String(seconds))
      const problem = `Too many attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
      return show(request, reply, { next, email, problem }, 429)
    }
    const account = await accounts.signIn(email, password, fromOf(request))
    const started = account !== null && (await signedIn.start(request, reply, account))
    if (account && !started) await accounts.signInFailed(account, fromOf(request))
    if (!account || !started) {
      request.log.info({ event: 'sign_in_failed' }, 'sign-in refused')
      return show(request, reply, { next, email, problem: refused }, 401)
    }
    await signInThrottle.forgive(attempt)
    return reply.redirect(next ?? homeOf(account.role), 303)
  })

  app.post('/logout', { preHandler: app.csrfProtection }, async (request, reply) => {
    await signedIn.end(request, reply)
    return reply.redirect(loginAddress(safeNext(textFields(request.body).next, issuer)), 303)
  })
}

/** The sign-in page, which leads on to `next`. */
export const loginAddress = (next: string | null): string => withNext('/login', next)

const withNext = (path: string, next: string | null): string =>
  next === null || next.length > longestNext ? path : `${path}?next=${encodeURIComponent(next)}`

/** No page of ours has a longer address. Encoded once more, a longer one would not fit into a request. */
const longestNext = 2000

/** Where one lands who came from nowhere. */
const homeOf = (role: Role): string => sections[role][0].href

/** Back to a page of ours only: an address elsewhere, or one that a browser could read as elsewhere, is null. */
export function safeNext(next: unknown, issuer: string): string | null {
  if (typeof next !== 'string' || !localPath.test(next)) return null
  const url = URL.parse(next, issuer)
  if (url?.origin !== new URL(issuer).origin) return null
  const path = url.pathname + url.search
  // Looked at once more: `/.//elsewhere` is a path of ours until its dot is resolved.
  // The authorization endpoint may lead elsewhere: no sign-in of ours ends there.
  return localPath.test(path) && !path.startsWith('/auth/') ? path : null
}

/** One slash, not followed by another one or a backslash, then printable ASCII without a backslash. */
const localPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

function textFields(body: unknown): LoginForm {
  const form = (body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  return { email: text('email'), password: text('password'), next: text('next') }
}
