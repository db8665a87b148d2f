import type { FastifyInstance } from 'fastify'
import type { AsOperator } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { accountsPage } from './accounts.view.ts'
import { findPage, readListing } from '../listing.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

/** All accounts, to look through. */
export function operatorAccounts(
  app: FastifyInstance,
  { storage, asOperator }: ConsoleDeps & { asOperator: AsOperator },
): void {
  app.get('/operator/accounts', async (request, reply) =>
    asOperator(request, reply, async account => {
      const listing = readListing(request.query)
      const found = await findPage(listing, storage.browse.accounts)
      const view = { viewer: viewerOf(reply, account), q: listing.q, found }
      return sendHtml(reply, accountsPage(view))
    }),
  )
}
