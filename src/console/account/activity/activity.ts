import type { ActivityPlace } from '../../../domain/usage/reads.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { activityPage } from './activity.view.ts'

const pageSize = 25

/** Which app read what and when, of the merchant's own stores. */
export function accountActivity(scope: PageScope, { storage, connectedApps, figures }: ConsoleDeps): void {
  const schema = { querystring: fields({ app: text, store: text, after: text }) }

  scope.get('/account/activity', { schema }, async ({ account, viewer, query }, reply) => {
    const stores = await storage.stores.ofMerchant(account.email)
    const ids = stores.map(({ id }) => id)
    const apps = await connectedApps.findAll([...(await figures.reads.byApp(ids)).keys()])
    // A store of another merchant, or an app that never read one of these, filters nothing.
    const wanted = parseInt64(query.store)
    const store_id = ids.find(id => id === wanted) ?? null
    const app_id = apps.has(query.app) ? query.app : null
    const after = placeOf(query.after)
    const page = await figures.reads.activity(store_id === null ? ids : [store_id], app_id, after, pageSize)
    return sendHtml(reply, activityPage({ viewer, stores, apps, filter: { app_id, store_id }, after, page }))
  })
}

/** Parses what `placeText` writes. */
function placeOf(text: string): ActivityPlace | null {
  const [, bucket, store, app_id] = /^(\d{1,12})\.(-?\d+)\.([\w-]+)$/.exec(text) ?? []
  const store_id = parseInt64(store ?? '')
  return store_id === null || app_id === undefined ? null : { bucket: Number(bucket), store_id, app_id }
}
