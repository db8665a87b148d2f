import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { appStoresPage } from './stores.view.ts'

/** Stores that one form may name: the answer comes within the time of a page. */
const maxStores = 100

/** The operator links an app to stores without a merchant's consent, or ends its access to some. */
export function appStorePages(scope: PageScope, { apps }: ConsoleDeps): void {
  const path = '/operator/apps/:app_id/stores'

  scope.get(path, async ({ viewer, shownApp: app }, reply) =>
    sendHtml(reply, appStoresPage({ viewer, app, ids: '' })),
  )

  const schema = { body: form({ ids: text, action: text, scope: text }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { viewer, shownApp: app, account } = request
    const { ids, action, scope: shown } = request.body
    try {
      const store_ids = readIds(ids)
      const by = byAccount(account, fromOf(request))
      if (action === 'link') await apps.authorize(app.id, store_ids, by, shown === '' ? undefined : shown)
      else if (action === 'end') await apps.revoke(app.id, store_ids, by)
      else throw new InputError('store', 'press one of the two buttons')
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, appStoresPage({ viewer, app, ids, problem: error }), 422)
    }
    return reply.redirect(`/operator/apps/${app.id}`, 303)
  })
}

/** The field is `store` because the domain's own errors about stores name it. */
function readIds(typed: string): bigint[] {
  const words = typed.split(/[\s,;]+/).filter(word => word !== '')
  if (words.length === 0) throw new InputError('store', 'type at least one store id')
  if (words.length > maxStores) throw new InputError('store', `type at most ${maxStores} store ids at a time`)
  const ids = words.map(word => {
    const id = parseInt64(word)
    if (id === null) throw new InputError('store', `"${word.slice(0, 40)}" is not a store id`)
    return id
  })
  return [...new Set(ids)]
}
