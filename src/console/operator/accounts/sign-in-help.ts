import { byAccount } from '../../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sentAlreadyPage } from './new-account.view.ts'
import { confirmLinkPage, linkPage, turnOffTwoFactorPage } from './sign-in-help.view.ts'

/** For a person who cannot sign in: a link that sets a new password, and an end of codes whose phone is lost. */
export function signInHelp(
  scope: PageScope,
  { passwordLinks, singleUseForms, twoFactor }: ConsoleDeps,
): void {
  const linkPath = '/operator/accounts/:account_id/password-link'
  scope.get(linkPath, async ({ viewer, shownAccount: account }, reply) =>
    sendHtml(reply, confirmLinkPage({ viewer, account })),
  )

  scope.post(linkPath, { schema: { body: form({}) } }, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    const { _csrf } = request.body
    const by = byAccount(request.account, fromOf(request))
    const made = await singleUseForms.use(_csrf, async () => ({
      link: await passwordLinks.give(account, by),
    }))
    if (made === null)
      return sendHtml(reply, sentAlreadyPage(viewer, `/operator/accounts/${account.id}`), 409)
    return sendHtml(reply, linkPage({ viewer, account, link: made.link, isNew: false }))
  })

  const offPath = '/operator/accounts/:account_id/two-factor-off'
  scope.get(offPath, async ({ viewer, shownAccount: account }, reply) =>
    sendHtml(reply, turnOffTwoFactorPage({ viewer, account })),
  )

  scope.post(offPath, async (request, reply) => {
    const { shownAccount: account } = request
    await twoFactor.turnOff(account, byAccount(request.account, fromOf(request)))
    return reply.redirect(`/operator/accounts/${account.id}`, 303)
  })
}
