import type { FastifyInstance } from 'fastify'
import { parseInt64 } from '../../../lib/int64.ts'
import { type AsOperator, sendMissing } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { storePage } from './store.view.ts'
import { storesPage } from './stores.view.ts'
import { findPage, readListing } from '../listing.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

const days = 30

/** All stores, to look through, and each one with who reads it. */
export function operatorStores(
  app: FastifyInstance,
  { storage, figures, clock, asOperator }: ConsoleDeps & { asOperator: AsOperator },
): void {
  app.get('/operator/stores', async (request, reply) =>
    asOperator(request, reply, async account => {
      const listing = readListing(request.query)
      const { app: given } = request.query as { app?: unknown }
      const app_id = typeof given === 'string' && given !== '' ? given : null
      const [found, reader] = await Promise.all([
        findPage(listing, search => storage.browse.stores({ ...search, app_id })),
        app_id === null ? null : storage.apps.find(app_id),
      ])
      const of = app_id === null ? null : { id: app_id, name: reader?.name ?? app_id }
      return sendHtml(reply, storesPage({ viewer: viewerOf(reply, account), q: listing.q, of, found }))
    }),
  )

  app.get('/operator/stores/:store_id', async (request, reply) =>
    asOperator(request, reply, async account => {
      const id = parseInt64((request.params as { store_id: string }).store_id)
      const store = id === null ? null : await storage.browse.store(id)
      if (!store) return sendMissing(reply, account, 'store', { href: '/operator/stores', label: 'Stores' })
      const [merchant, readers, reads, last] = await Promise.all([
        store.merchant === null ? null : storage.accounts.findByEmail(store.merchant),
        storage.browse.readersOf(store.id),
        figures.reads.byDayAndApp([store.id], days),
        figures.reads.last([store.id]),
      ])
      // Apps that read and may no longer have a name too.
      const names = new Map(readers.map(({ app_id, app_name }) => [app_id, app_name]))
      for (const app_id of reads.keys()) {
        if (!names.has(app_id)) names.set(app_id, (await storage.apps.find(app_id))?.name ?? app_id)
      }
      const now = clock.now()
      const view = { viewer: viewerOf(reply, account), store, merchant, readers, reads, last, names, now }
      return sendHtml(reply, storePage(view))
    }),
  )
}
