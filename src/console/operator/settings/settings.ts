import { byAccount } from '../../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form, text, texts } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { roles } from '../accounts/new-account.view.ts'
import { settingsPage } from './settings.view.ts'

/** Switches that the operator turns on and off while the server runs. */
export function operatorSettings(scope: PageScope, { switches }: ConsoleDeps): void {
  const path = '/operator/settings'

  scope.get(path, async ({ viewer }, reply) => {
    const [signUp, last, required] = await Promise.all([
      switches.isOn('sign_up'),
      switches.lastSet('sign_up'),
      Promise.all(roles.map(async role => ({ role, isRequired: await switches.isOn(`two_factor_${role}`) }))),
    ])
    return sendHtml(reply, settingsPage({ viewer, signUp, last, required }))
  })

  // One of two forms of the page.
  const schema = { body: form({ sign_up: text, two_factor: text, roles: texts }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { sign_up, two_factor, roles: required } = request.body
    const by = byAccount(request.account, fromOf(request))
    if (sign_up === 'on' || sign_up === 'off') await switches.set('sign_up', sign_up === 'on', by)
    if (two_factor === 'save') {
      for (const role of roles) await switches.set(`two_factor_${role}`, required.includes(role), by)
    }
    return reply.redirect(path, 303)
  })
}
