import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { findPage, listingQuery, readListing } from '../listing.ts'
import { accountsPage } from './accounts.view.ts'

export function operatorAccounts(scope: PageScope, { storage }: ConsoleDeps): void {
  const schema = { querystring: listingQuery }

  scope.get('/operator/accounts', { schema }, async ({ viewer, query }, reply) => {
    const listing = readListing(query)
    const found = await findPage(listing, storage.browse.accounts)
    return sendHtml(reply, accountsPage({ viewer, q: listing.q, found }))
  })
}
