import type { FastifyInstance, FastifyReply } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { Account, App } from '../../../storage/port/index.ts'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { disablePage } from './state.view.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { messagePage } from '../../layout.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

/** Switching an app of one's own off, and on again unless it was the operator who switched it off. */
export function developerState(
  app: FastifyInstance,
  { storage, apps, asOwner }: ConsoleDeps & AsDeveloper,
): void {
  const protectedForm = { preHandler: app.csrfProtection }

  /** It was so already, or is not the developer's to change. */
  function sendUnchanged(reply: FastifyReply, mine: App, account: Account): FastifyReply {
    const byOperator = mine.disabled_at !== null && !mine.disabled_by_owner
    const [title, advice] = byOperator
      ? ['The operator disabled this app', 'Only the operator can enable it again: ask them what is wrong.']
      : ['Nothing to change', `The app is ${mine.disabled_at === null ? 'enabled' : 'disabled'} already.`]
    const options = {
      viewer: viewerOf(reply, account),
      action: { href: `/developer/apps/${mine.id}`, label: `Back to ${mine.name}` },
    }
    return sendHtml(reply, messagePage(title, advice, options), 409)
  }

  app.get('/developer/apps/:app_id/disable', async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      if (mine.disabled_at !== null) return sendUnchanged(reply, mine, account)
      const reach = await storage.browse.reachOf(mine.id)
      return sendHtml(reply, disablePage({ viewer: viewerOf(reply, account), app: mine, reach }))
    }),
  )

  // Where one lands whose session was over when they pressed Enable, after signing in again.
  app.get('/developer/apps/:app_id/enable', async (request, reply) =>
    asOwner(request, reply, async mine => reply.redirect(`/developer/apps/${mine.id}`, 303)),
  )

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    app.post(`/developer/apps/:app_id/${word}`, protectedForm, async (request, reply) =>
      asOwner(request, reply, async (mine, account) => {
        const by = byAccount(account, fromOf(request))
        const changed = await apps.setDisabledByOwner(mine.id, disabled, by)
        if (changed) return reply.redirect(`/developer/apps/${mine.id}?done=${word}d`, 303)
        return sendUnchanged(reply, mine, account)
      }),
    )
  }
}
