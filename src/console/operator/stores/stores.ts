import { feedOf } from '../../../domain/reading/feed.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import { changeKinds } from '../../../storage/port/index.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { findPage, readListing } from '../listing.ts'
import { sendNotFound } from '../not-found.ts'
import { storePage } from './store.view.ts'
import { storesPage } from './stores.view.ts'

const days = 30

/** All stores, and each one with the apps that read it. */
export function operatorStores(scope: PageScope, { storage, figures, clock }: ConsoleDeps): void {
  const list = { querystring: fields({ q: text, page: text, app: text }) }

  scope.get('/operator/stores', { schema: list }, async ({ viewer, query }, reply) => {
    const listing = readListing(query)
    const app_id = query.app === '' ? null : query.app
    const [found, reader] = await Promise.all([
      findPage(listing, search => storage.browse.stores({ ...search, app_id })),
      app_id === null ? null : storage.apps.find(app_id),
    ])
    const of = app_id === null ? null : { id: app_id, name: reader?.name ?? app_id }
    return sendHtml(reply, storesPage({ viewer, q: listing.q, of, found }))
  })

  const one = { params: fields({ store_id: text }) }
  scope.get('/operator/stores/:store_id', { schema: one }, async ({ viewer, params }, reply) => {
    const id = parseInt64(params.store_id)
    const store = id === null ? null : await storage.browse.store(id)
    if (!store) return sendNotFound(reply, viewer, 'store', { href: '/operator/stores', label: 'Stores' })
    const [merchant, readers, reads, ever, history] = await Promise.all([
      store.merchant === null ? null : storage.accounts.findByEmail(store.merchant),
      storage.browse.readersOf(store.id),
      figures.reads.byDayAndApp([store.id], days),
      figures.reads.byApp([store.id]),
      storage.changes.history(),
    ])
    // An app that read the store may have lost access since; it has a name too.
    const names = new Map(readers.map(({ app_id, app_name }) => [app_id, app_name]))
    for (const app_id of reads.keys()) {
      if (!names.has(app_id)) names.set(app_id, (await storage.apps.find(app_id))?.name ?? app_id)
    }
    const now = clock.now()
    const feed = feedOf(history, changeKinds)
    return sendHtml(reply, storePage({ viewer, store, merchant, readers, reads, ever, names, now, feed }))
  })
}
