import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { eventsPage } from './events.view.ts'
import { eventsPath } from './frame.view.ts'

const pageSize = 25

/** The audit log of the merchant's own account: sign-ins, consents, changes, revocations. */
export function accountEvents(scope: PageScope, { storage, auditLog }: ConsoleDeps): void {
  const schema = { querystring: fields({ before: text }) }

  scope.get(eventsPath, { schema }, async ({ account, viewer, query }, reply) => {
    const before = /^\w{1,64}$/.test(query.before) ? query.before : undefined
    const [stores, page] = await Promise.all([
      storage.stores.ofMerchant(account.email),
      auditLog.page({ account_id: account.id }, { before, limit: pageSize }),
    ])
    return sendHtml(reply, eventsPage({ viewer, account, stores, before, page }))
  })
}
