import type { FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import type { Account } from '../../storage/port/index.ts'
import { fields, form, text } from '../fields.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { loginAddress, safeNext, withNext } from './next.ts'
import { fromOf } from './signed-in.ts'
import { tooManyAttempts } from './too-many-attempts.ts'
import { codePage, recoveryCodesPage, setUpPage } from './two-factor.view.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who has entered the right password but no code yet. Set on these pages alone. */
    halfSignedIn: Account
  }
}

/** The second step of signing in: a code, or setting up the codes where the operator requires them. */
export const twoFactorPages: PagePlugin = async (scope, deps) => {
  const { twoFactor, secondStep, signedIn, issuer } = deps
  const query = { querystring: fields({ next: text }) }

  scope.decorateRequest('halfSignedIn')
  scope.addHook('preHandler', async (request, reply) => {
    const account = await secondStep.account(request)
    if (!account) return reply.redirect(loginAddress(nextOf(request)), 303)
    request.halfSignedIn = account
  })

  /** Where the person wanted to go: in the address of a page, or in its form. */
  function nextOf({ query, body }: FastifyRequest): string | null {
    const { next = '' } = { ...(query as { next?: string }), ...(body as { next?: string } | undefined) }
    return safeNext(next, issuer)
  }

  /** False when the account was disabled, or its password changed, meanwhile. */
  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    secondStep.end(reply)
    return signedIn.start(request, reply, request.halfSignedIn)
  }

  scope.get('/login/code', { schema: query }, async (request, reply) => {
    const next = safeNext(request.query.next, issuer)
    return sendHtml(reply, codePage({ csrf: reply.generateCsrf(), next }))
  })

  scope.post(
    '/login/code',
    { schema: { body: form({ code: text, next: text }) } },
    async (request, reply) => {
      const { halfSignedIn: account, body } = request
      const next = safeNext(body.next, issuer)
      const show = (problem: string, status: number) =>
        sendHtml(reply, codePage({ csrf: reply.generateCsrf(), next, problem }), status)
      const seconds = await twoFactor.take(account, body.code)
      if (seconds > 0) {
        return show(tooManyAttempts(reply, seconds), 429)
      }
      const own = await twoFactor.find(account)
      if (own && !(await twoFactor.check(account, own, body.code))) {
        await deps.accounts.signInFailed(account, fromOf(request))
        return show('This code is wrong or was used already. Wait for the next one and try again.', 401)
      }
      if (!own || !(await signIn(request, reply))) return reply.redirect(loginAddress(next), 303)
      return reply.redirect(next ?? sections[account.role][0].href, 303)
    },
  )

  scope.get('/login/set-up', { schema: query }, async (request, reply) => {
    const { halfSignedIn: account } = request
    const next = safeNext(request.query.next, issuer)
    const view = { csrf: reply.generateCsrf(), next, action: '/login/set-up' }
    return sendHtml(reply, setUpPage({ ...view, ...twoFactor.propose(account) }))
  })

  const setUpForm = form({ secret: text, code: text, next: text })
  scope.post('/login/set-up', { schema: { body: setUpForm } }, async (request, reply) => {
    const { halfSignedIn: account, body } = request
    const next = safeNext(body.next, issuer)
    // Who has the codes gives one: the password alone must not replace them.
    if (await twoFactor.find(account)) return reply.redirect(withNext('/login/code', next), 303)
    try {
      const by = byAccount(account, fromOf(request))
      const codes = await twoFactor.turnOn(account, body.secret, body.code, by)
      if (!(await signIn(request, reply))) return reply.redirect(loginAddress(next), 303)
      const go = next ?? sections[account.role][0].href
      return sendHtml(reply, recoveryCodesPage({ codes, next: go }))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const again = twoFactor.proposeAgain(account, body.secret)
      const view = { csrf: reply.generateCsrf(), next, action: '/login/set-up', problem: error }
      return sendHtml(reply, setUpPage({ ...view, ...again }), 422)
    }
  })
}
