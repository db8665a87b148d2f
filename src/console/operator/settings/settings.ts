import type { FastifyInstance } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import { createSwitches } from '../../../domain/switches.ts'
import type { AsOperator } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { settingsPage } from './settings.view.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

/** What the operator turns on and off while the server runs. */
export function operatorSettings(app: FastifyInstance, deps: ConsoleDeps & { asOperator: AsOperator }): void {
  const switches = createSwitches(deps)

  app.get('/operator/settings', async (request, reply) =>
    deps.asOperator(request, reply, async account => {
      const [signUp, last] = await Promise.all([switches.isOn('sign_up'), switches.lastSet('sign_up')])
      return sendHtml(reply, settingsPage({ viewer: viewerOf(reply, account), signUp, last }))
    }),
  )

  app.post('/operator/settings', { preHandler: app.csrfProtection }, async (request, reply) =>
    deps.asOperator(request, reply, async account => {
      const { sign_up } = (request.body ?? {}) as { sign_up?: unknown }
      if (sign_up === 'on' || sign_up === 'off') {
        await switches.set('sign_up', sign_up === 'on', byAccount(account, fromOf(request)))
      }
      return reply.redirect('/operator/settings', 303)
    }),
  )
}
