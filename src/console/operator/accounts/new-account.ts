import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { Role } from '../../../storage/port/index.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { createPasswordCheck } from '../../sign-in/own-password.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { newAccountForm, roles, sentAlreadyPage } from './new-account.view.ts'
import { linkPage } from './sign-in-help.view.ts'

/** The operator creates an account and hands its owner a link to set the password: no operator knows it. */
export function newAccountPage(scope: PageScope, deps: ConsoleDeps): void {
  const { accounts, passwordLinks, singleUseForms } = deps
  const problemWith = createPasswordCheck(deps)
  const path = '/operator/accounts/new'

  scope.get(path, async ({ viewer }, reply) =>
    sendHtml(reply, newAccountForm({ viewer, email: '', role: 'merchant' })),
  )

  const schema = { body: form({ email: text, role: text, current: text }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { viewer } = request
    const { _csrf, email, current } = request.body
    const role = roles.find(name => name === request.body.role)
    const by = byAccount(request.account, fromOf(request))
    const create = async (chosen: Role) => {
      const account = await accounts.createWithoutPassword({ email, role: chosen }, by)
      return { account, link: await passwordLinks.give(account, by) }
    }
    try {
      if (!role) throw new InputError('role', 'choose a role')
      const problem = await problemWith(request, current)
      if (problem) throw problem
      const made = await singleUseForms.use(_csrf, () => create(role))
      if (made === null) return sendHtml(reply, sentAlreadyPage(viewer, '/operator/accounts'), 409)
      return sendHtml(reply, linkPage({ viewer, ...made, isNew: true }))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, newAccountForm({ viewer, email, role: role ?? 'merchant', problem: error }), 422)
    }
  })
}
