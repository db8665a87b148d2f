import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserCookie } from '../../oauth/browser-binding.ts'
import { consentUid } from '../../oauth/provider.ts'
import { findPendingRequest } from '../../oauth/pending-request.ts'
import type { Role } from '../../storage/port/index.ts'
import { fields, form, text } from '../fields.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { loginPage } from './login.view.ts'
import { loginAddress, safeNext, withNext } from './next.ts'
import { fromOf } from './signed-in.ts'
import { tooManyAttempts } from './too-many-attempts.ts'
import { startPage } from './start.view.ts'

interface Shown {
  next: string | null
  email?: string
  problem?: string
}

/** One answer for an unknown email, a wrong password and a disabled account. */
const refused = 'Wrong email or password. Check both and try again.'

export const loginPages: PagePlugin = async (scope, deps) => {
  const { storage, accounts, switches, providers, signedIn, signInThrottle, issuer, secure } = deps
  const { twoFactor, secondStep } = deps

  /** The app whose request the person signs in for. Shown only in the browser that began the request. */
  async function askingApp(request: FastifyRequest, next: string | null): Promise<string | null> {
    const uid = next === null ? null : consentUid(next)
    if (uid === null) return null
    const browser = request.cookies[browserCookie(secure)]
    const pending = await findPendingRequest(await providers.current(), uid, browser)
    return (pending && (await storage.apps.find(pending.client_id)))?.name ?? null
  }

  async function show(request: FastifyRequest, reply: FastifyReply, shown: Shown, status: number) {
    const app_name = await askingApp(request, shown.next)
    const sign_up = (await switches.isOn('sign_up')) ? withNext('/signup', shown.next) : null
    const view = { email: '', ...shown, app_name, sign_up, can_mail: deps.passwordLinks.canMail }
    return sendHtml(reply, loginPage({ ...view, csrf: reply.generateCsrf() }), status)
  }

  scope.get('/', async (request, reply) => {
    const account = await signedIn.account(request)
    if (account) return reply.redirect(homeOf(account.role), 303)
    return sendHtml(reply, startPage({ sign_up: await switches.isOn('sign_up') }))
  })

  scope.get('/login', { schema: { querystring: fields({ next: text }) } }, async (request, reply) => {
    const next = safeNext(request.query.next, issuer)
    const account = await signedIn.account(request)
    if (account) return reply.redirect(next ?? homeOf(account.role), 303)
    return show(request, reply, { next }, 200)
  })

  const loginForm = form({ email: text, password: text, next: text })
  scope.post('/login', { schema: { body: loginForm } }, async (request, reply) => {
    const { email, password } = request.body
    const next = safeNext(request.body.next, issuer)
    const attempt = { name: email.trim().toLowerCase(), address: request.ip }
    const seconds = await signInThrottle.count(attempt)
    if (seconds > 0) {
      return show(request, reply, { next, email, problem: tooManyAttempts(reply, seconds) }, 429)
    }
    const account = await accounts.signIn(email, password, fromOf(request))
    const nextStep = account && (await twoFactor.nextStep(account))
    if (account && nextStep) {
      await signInThrottle.forgive(attempt)
      secondStep.begin(reply, account)
      return reply.redirect(withNext(nextStep, next), 303)
    }
    const started = account !== null && (await signedIn.start(request, reply, account))
    if (account && !started) await accounts.signInFailed(account, fromOf(request))
    if (!account || !started) {
      request.log.info({ event: 'sign_in_failed' }, 'sign-in refused')
      return show(request, reply, { next, email, problem: refused }, 401)
    }
    await signInThrottle.forgive(attempt)
    return reply.redirect(next ?? homeOf(account.role), 303)
  })

  scope.post('/logout', { schema: { body: form({ next: text }) } }, async (request, reply) => {
    await signedIn.end(request, reply)
    return reply.redirect(loginAddress(safeNext(request.body.next, issuer)), 303)
  })
}

/** The first page after a sign-in without `next`. */
const homeOf = (role: Role): string => sections[role][0].href
