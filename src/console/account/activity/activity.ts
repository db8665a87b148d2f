import type { FastifyInstance } from 'fastify'
import type { ActivityPlace } from '../../../domain/usage/reads.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import { activityPage } from './activity.view.ts'
import type { AsMerchant } from '../../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'

const pageSize = 25

/** Who read what and when, of the merchant's own stores. */
export function accountActivity(
  app: FastifyInstance,
  { storage, connectedApps, figures }: ConsoleDeps,
  { asMerchant }: AsMerchant,
): void {
  app.get('/account/activity', async (request, reply) =>
    asMerchant(request, reply, async ({ account, viewer }) => {
      const query = request.query as { app?: unknown; store?: unknown; after?: unknown }
      const stores = await storage.stores.ofMerchant(account.email)
      const ids = stores.map(({ id }) => id)
      const apps = await connectedApps.findAll([...(await figures.reads.last(ids)).keys()])
      // What is not the merchant's, or never read, filters nothing: it is as if nobody had asked for it.
      const wanted = typeof query.store === 'string' ? parseInt64(query.store) : null
      const store_id = ids.find(id => id === wanted) ?? null
      const app_id = typeof query.app === 'string' && apps.has(query.app) ? query.app : null
      const after = placeOf(query.after)
      const page = await figures.reads.activity(store_id === null ? ids : [store_id], app_id, after, pageSize)
      return sendHtml(
        reply,
        activityPage({ viewer, stores, apps, filter: { app_id, store_id }, after, page }),
      )
    }),
  )
}

/** As `placeText` wrote it. */
function placeOf(text: unknown): ActivityPlace | null {
  const [, bucket, store, app_id] = /^(\d{1,12})\.(-?\d+)\.([\w-]+)$/.exec(String(text)) ?? []
  const store_id = parseInt64(store ?? '')
  return store_id === null || app_id === undefined ? null : { bucket: Number(bucket), store_id, app_id }
}
