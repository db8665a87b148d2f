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

  scope.post(path, { schema: { body: form({ sign_up: text }) } }, async (request, reply) => {
    const { sign_up } = request.body
    if (sign_up === 'on' || sign_up === 'off') {
      await switches.set('sign_up', sign_up === 'on', byAccount(request.account, fromOf(request)))
    }
    return reply.redirect(path, 303)
  })

  const twoFactorForm = form({ roles: texts })
  scope.post('/operator/settings/two-factor', { schema: { body: twoFactorForm } }, async (request, reply) => {
    const by = byAccount(request.account, fromOf(request))
    for (const role of roles) {
      await switches.set(`two_factor_${role}`, request.body.roles.includes(role), by)
    }
    return reply.redirect(path, 303)
  })
}
