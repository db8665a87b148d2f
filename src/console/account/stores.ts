import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { storePart } from './store-part.view.ts'
import { storesPage } from './stores.view.ts'

/** The merchant's stores, each with a way to its orders, items and sales. */
export function accountStoresList(scope: PageScope, { storage }: ConsoleDeps): void {
  const schema = { querystring: fields({ q: text, page: text }) }

  scope.get('/account/stores', { schema }, async ({ account, viewer, query }, reply) => {
    const stores = await storage.stores.ofMerchant(account.email)
    return sendHtml(reply, storesPage({ viewer, stores, part: storePart(query) }))
  })
}
