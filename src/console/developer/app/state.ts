import type { FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { messagePage } from '../../layout.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { disablePage } from './state.view.ts'

/** Disabling an app of one's own, and enabling it again unless the operator disabled it. */
export function developerState(scope: PageScope, { storage, apps }: ConsoleDeps): void {
  /** The app was in that state already, or the operator disabled it. */
  function sendUnchanged({ ownApp: app, viewer }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const byOperator = app.disabled_at !== null && !app.disabled_by_owner
    const [title, advice] = byOperator
      ? ['The operator disabled this app', 'Only the operator can enable it again. Ask them what is wrong.']
      : ['Nothing to change', `The app is already ${app.disabled_at === null ? 'enabled' : 'disabled'}.`]
    const action = { href: `/developer/apps/${app.id}`, label: `Back to ${app.name}` }
    return sendHtml(reply, messagePage(title, advice, { viewer, action }), 409)
  }

  scope.get('/developer/apps/:app_id/disable', async (request, reply) => {
    const { ownApp: app, viewer } = request
    if (app.disabled_at !== null) return sendUnchanged(request, reply)
    const reach = await storage.browse.reachOf(app.id)
    return sendHtml(reply, disablePage({ viewer, app, reach }))
  })

  // A person whose session had ended when they pressed Enable comes back here after signing in.
  scope.get('/developer/apps/:app_id/enable', async ({ ownApp }, reply) =>
    reply.redirect(`/developer/apps/${ownApp.id}`, 303),
  )

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    scope.post(`/developer/apps/:app_id/${word}`, async (request, reply) => {
      const { ownApp, account } = request
      const by = byAccount(account, fromOf(request))
      const changed = await apps.setDisabledByOwner(ownApp.id, disabled, by)
      if (changed) return reply.redirect(`/developer/apps/${ownApp.id}?done=${word}d`, 303)
      return sendUnchanged(request, reply)
    })
  }
}
