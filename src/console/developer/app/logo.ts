import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { file, form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { logoPage } from './logo.view.ts'

/** The app's logo: upload one, or remove it. */
export function developerLogo(scope: PageScope, { logos }: ConsoleDeps): void {
  const path = '/developer/apps/:app_id/logo'

  scope.get(path, async ({ ownApp: app, viewer }, reply) => sendHtml(reply, logoPage({ viewer, app })))

  const schema = { body: form({ logo: file, remove: text }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { ownApp: app, account, viewer, body } = request
    const by = byAccount(account, fromOf(request))
    const own = `/developer/apps/${app.id}`
    if (body.remove === 'yes') {
      await logos.remove(app.id, by)
      return reply.redirect(`${own}?done=no_logo`, 303)
    }
    try {
      await logos.upload(app.id, body.logo ?? Buffer.alloc(0), by)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, logoPage({ viewer, app, problem: error }), 422)
    }
    return reply.redirect(`${own}?done=logo`, 303)
  })
}
