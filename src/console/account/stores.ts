import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { pageNumber } from '../parts/pagination.ts'
import { sendHtml } from '../send-html.ts'
import { storesPage } from './stores.view.ts'

/** The merchant's stores, each with a way to its orders, items and sales. */
export function accountStoresList(scope: PageScope, { storage }: ConsoleDeps): void {
  const schema = { querystring: fields({ q: text, page: text }) }

  scope.get('/account/stores', { schema }, async ({ account, viewer, query }, reply) => {
    const stores = await storage.stores.ofMerchant(account.email)
    const part = { search: query.q.trim().slice(0, 200), page: pageNumber(query.page) }
    return sendHtml(reply, storesPage({ viewer, stores, part }))
  })
}
