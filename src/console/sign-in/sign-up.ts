import type { FastifyReply } from 'fastify'
import { InputError } from '../../domain/input-error.ts'
import { fields, form, text } from '../fields.ts'
import { messagePage } from '../layout.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { loginAddress, safeNext, withNext } from './next.ts'
import { signUpPage } from './sign-up.view.ts'
import { fromOf } from './signed-in.ts'
import { tooManyAttempts } from './too-many-attempts.ts'

interface Shown {
  next: string | null
  email?: string
  problem?: InputError
  refusal?: string
}

/** Developers create their own account, while the operator allows it. */
export const signUpPages: PagePlugin = async (scope, deps) => {
  const { accounts, twoFactor, secondStep, switches, signedIn, signUpThrottle, issuer } = deps
  const { sandbox } = deps
  const home = sections.developer[0].href

  // Asked at every request: while sign-up is off, the page does not exist.
  scope.addHook('preHandler', async (_request, reply) => {
    if (await switches.isOn('sign_up')) return
    const advice = 'The operator of this server creates the accounts. Ask them for one.'
    const action = { href: '/login', label: 'Sign in' }
    return sendHtml(reply, messagePage('Sign-up is closed', advice, { action }), 404)
  })

  const show = (reply: FastifyReply, shown: Shown, status: number): FastifyReply =>
    sendHtml(
      reply,
      signUpPage({ email: '', ...shown, sign_in: loginAddress(shown.next), csrf: reply.generateCsrf() }),
      status,
    )

  scope.get('/signup', { schema: { querystring: fields({ next: text }) } }, async (request, reply) => {
    const next = safeNext(request.query.next, issuer)
    const account = await signedIn.account(request)
    if (account) return reply.redirect(next ?? sections[account.role][0].href, 303)
    return show(reply, { next }, 200)
  })

  const signUpForm = form({ email: text, password: text, next: text })
  scope.post('/signup', { schema: { body: signUpForm } }, async (request, reply) => {
    const { email, password } = request.body
    const next = safeNext(request.body.next, issuer)
    // Each attempt costs a password hash and reveals whether an email has an account, so successful ones count too.
    const seconds = await signUpThrottle.count({ name: email.trim().toLowerCase(), address: request.ip })
    if (seconds > 0) {
      return show(reply, { next, email, refusal: tooManyAttempts(reply, seconds) }, 429)
    }
    const refused = await sandbox?.signUps.refusal(request.ip)
    if (refused) {
      if (refused.seconds !== null) reply.header('retry-after', String(refused.seconds))
      return show(reply, { next, email, refusal: refused.text }, refused.seconds === null ? 503 : 429)
    }
    try {
      const account = await accounts.signUp(email, password, fromOf(request))
      await sandbox?.signUps.count(request.ip)
      const nextStep = await twoFactor.nextStep(account)
      if (nextStep) {
        secondStep.begin(reply, account)
        return reply.redirect(withNext(nextStep, next), 303)
      }
      await signedIn.start(request, reply, account)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return show(reply, { next, email, problem: error }, 422)
    }
    return reply.redirect(next ?? home, 303)
  })
}
