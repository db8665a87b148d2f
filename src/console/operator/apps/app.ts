import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { Account, App } from '../../../storage/port/index.ts'
import { type AsOperator, sendMissing } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { appPage } from './app.view.ts'
import { disableAppPage, enableAppPage, revokeAppPage } from './confirm.view.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

const latest = 10
const days = 30

/** One app: whose it is, what it may read, how it goes; disable it, enable it, take all its access. */
export function operatorApp(app: FastifyInstance, deps: ConsoleDeps & { asOperator: AsOperator }): void {
  const { storage, apps, figures, asOperator } = deps

  /** The app that the address names, and the operator who looks at it. */
  const withApp = (
    request: FastifyRequest,
    reply: FastifyReply,
    then: (found: App, operator: Account) => Promise<unknown>,
  ): Promise<unknown> =>
    asOperator(request, reply, async operator => {
      const found = await apps.find((request.params as { app_id: string }).app_id)
      if (found) return then(found, operator)
      return sendMissing(reply, operator, 'app', { href: '/operator/apps', label: 'Apps' })
    })

  app.get('/operator/apps/:app_id', async (request, reply) =>
    withApp(request, reply, async (found, operator) => {
      const [owner, secrets, reach, requests, { lines }] = await Promise.all([
        found.owner_id === null ? null : storage.accounts.find(found.owner_id),
        storage.apps.secrets(found.id),
        storage.browse.reachOf(found.id),
        figures.requests.byDay(found.id, days),
        storage.audit.list({ app_id: found.id, limit: latest, look: latest + 1 }),
      ])
      const view = { viewer: viewerOf(reply, operator), app: found, owner, secrets, reach, requests, lines }
      return sendHtml(reply, appPage(view))
    }),
  )

  const questions = { disable: disableAppPage, enable: enableAppPage, revoke: revokeAppPage }
  for (const [name, page] of Object.entries(questions)) {
    app.get(`/operator/apps/:app_id/${name}`, async (request, reply) =>
      withApp(request, reply, async (found, operator) => {
        const reach = await storage.browse.reachOf(found.id)
        return sendHtml(reply, page({ viewer: viewerOf(reply, operator), app: found, reach }))
      }),
    )
  }

  const answers = {
    disable: (found: App, by: ReturnType<typeof byAccount>) => apps.setDisabled(found.id, true, by),
    enable: (found: App, by: ReturnType<typeof byAccount>) => apps.setDisabled(found.id, false, by),
    revoke: (found: App, by: ReturnType<typeof byAccount>) => apps.revoke(found.id, null, by),
  }
  for (const [name, change] of Object.entries(answers)) {
    app.post(`/operator/apps/:app_id/${name}`, { preHandler: app.csrfProtection }, async (request, reply) =>
      withApp(request, reply, async (found, operator) => {
        await change(found, byAccount(operator, fromOf(request)))
        return reply.redirect(`/operator/apps/${found.id}`, 303)
      }),
    )
  }
}
