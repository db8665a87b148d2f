import type { FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form, text } from '../../fields.ts'
import { messagePage } from '../../layout.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { createPasswordCheck } from '../../sign-in/own-password.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sentAlreadyPage } from './new-account.view.ts'
import { confirmLinkPage, linkPage, turnOffTwoFactorPage } from './sign-in-help.view.ts'

/**
 * For a person who cannot sign in: a link that sets a new password, and an end of codes whose phone is lost. Both need the
 * operator's own password, and are not for the operator's own account: an open browser must not be enough to take it over.
 */
export function signInHelp(scope: PageScope, deps: ConsoleDeps): void {
  const { passwordLinks, singleUseForms, twoFactor } = deps
  const problemWith = createPasswordCheck(deps)
  const schema = { body: form({ current: text }) }

  const isOwn = ({ account, shownAccount }: FastifyRequest): boolean => account.id === shownAccount.id
  const sendOwn = ({ viewer }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const action = { href: '/profile', label: 'Your account' }
    const advice = 'Change your password and two-factor authentication on the page of your account.'
    return sendHtml(reply, messagePage('This is your own account', advice, { viewer, action }), 409)
  }

  const linkPath = '/operator/accounts/:account_id/password-link'
  scope.get(linkPath, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    return isOwn(request) ? sendOwn(request, reply) : sendHtml(reply, confirmLinkPage({ viewer, account }))
  })

  scope.post(linkPath, { schema }, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    const { _csrf, current } = request.body
    if (isOwn(request)) return sendOwn(request, reply)
    const problem = await problemWith(request, current)
    if (problem) return sendHtml(reply, confirmLinkPage({ viewer, account, problem }), 422)
    const by = byAccount(request.account, fromOf(request))
    const made = await singleUseForms.use(_csrf, async () => ({
      link: await passwordLinks.give(account, by),
    }))
    if (made === null)
      return sendHtml(reply, sentAlreadyPage(viewer, `/operator/accounts/${account.id}`), 409)
    return sendHtml(reply, linkPage({ viewer, account, link: made.link, isNew: false }))
  })

  const offPath = '/operator/accounts/:account_id/two-factor-off'
  scope.get(offPath, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    return isOwn(request)
      ? sendOwn(request, reply)
      : sendHtml(reply, turnOffTwoFactorPage({ viewer, account }))
  })

  scope.post(offPath, { schema }, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    if (isOwn(request)) return sendOwn(request, reply)
    const problem = await problemWith(request, request.body.current)
    if (problem) return sendHtml(reply, turnOffTwoFactorPage({ viewer, account, problem }), 422)
    await twoFactor.turnOff(account, byAccount(request.account, fromOf(request)))
    return reply.redirect(`/operator/accounts/${account.id}`, 303)
  })
}
