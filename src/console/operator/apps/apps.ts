import type { FastifyInstance } from 'fastify'
import type { AsOperator } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { appsPage } from './apps.view.ts'
import { findPage, readListing } from '../listing.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

/** All apps, to look through. */
export function operatorApps(
  app: FastifyInstance,
  { storage, asOperator }: ConsoleDeps & { asOperator: AsOperator },
): void {
  app.get('/operator/apps', async (request, reply) =>
    asOperator(request, reply, async account => {
      const listing = readListing(request.query)
      const found = await findPage(listing, storage.browse.apps)
      return sendHtml(reply, appsPage({ viewer: viewerOf(reply, account), q: listing.q, found }))
    }),
  )
}
