import { byAccount } from '../../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { settingsPage } from './settings.view.ts'

/** Switches that the operator turns on and off while the server runs. */
export function operatorSettings(scope: PageScope, { switches }: ConsoleDeps): void {
  const path = '/operator/settings'

  scope.get(path, async ({ viewer }, reply) => {
    const [signUp, last] = await Promise.all([switches.isOn('sign_up'), switches.lastSet('sign_up')])
    return sendHtml(reply, settingsPage({ viewer, signUp, last }))
  })

  scope.post(path, { schema: { body: form({ sign_up: text }) } }, async (request, reply) => {
    const { sign_up } = request.body
    if (sign_up === 'on' || sign_up === 'off') {
      await switches.set('sign_up', sign_up === 'on', byAccount(request.account, fromOf(request)))
    }
    return reply.redirect(path, 303)
  })
}
