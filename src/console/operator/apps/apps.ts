import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { findPage, listingQuery, readListing } from '../listing.ts'
import { appsPage } from './apps.view.ts'

export function operatorApps(scope: PageScope, { storage }: ConsoleDeps): void {
  const schema = { querystring: listingQuery }

  scope.get('/operator/apps', { schema }, async ({ viewer, query }, reply) => {
    const listing = readListing(query)
    const found = await findPage(listing, storage.browse.apps)
    return sendHtml(reply, appsPage({ viewer, q: listing.q, found }))
  })
}
