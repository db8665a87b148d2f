import { type AppConnections, type ConnectedStore, storesOf } from '../../../domain/apps/connected-apps.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { maxSeries } from '../../parts/chart/series.ts'
import { homeZone } from '../../parts/format/store-zone.ts'
import { sendHtml } from '../../send-html.ts'
import { shownDays } from '../days.ts'
import { storePart } from '../store-part.view.ts'
import { appPage } from './app.view.ts'
import type { AppReads } from './chart.view.ts'

/** Stores whose hours are added up to local days: each has 720 of them in 30 days; of 2,000 stores they took 0.9 s. */
const mostLocalStores = 100

/** One app: the stores it may read, the data it may read, and what it has read. */
export function accountApp(scope: PageScope, { figures }: ConsoleDeps): void {
  const schema = { querystring: fields({ store: text, saved: text, q: text, page: text }) }

  scope.get('/account/apps/:app_id', { schema }, async ({ connections, viewer, query }, reply) => {
    const ids = storesOf(connections).map(({ id }) => id)
    const [reads, last] = await Promise.all([
      readsOf(connections, pickedStore(connections, query.store)),
      figures.reads.last(ids, connections.app.id),
    ])
    const part = storePart(query)
    return sendHtml(reply, appPage({ viewer, connections, reads, last, part, saved: query.saved === '1' }))
  })

  /**
   * Days are those of the picked store's time zone, or of the zone that most of the app's stores are in; of UTC if these
   * are many.
   */
  async function readsOf(connections: AppConnections, picked: ConnectedStore | null): Promise<AppReads> {
    const stores = picked ? [picked] : storesOf(connections)
    const ids = stores.map(({ id }) => id)
    const zone = stores.length > mostLocalStores ? 'UTC' : homeZone(stores)
    const wanted = { app_id: connections.app.id, days: shownDays, zone }
    const reads =
      stores.length < 2
        ? { days: await figures.localReads.byDay(ids, wanted), stores: [] }
        : await figures.localReads.byDayAndStore(ids, wanted, maxSeries - 1)
    return { picked: picked?.id ?? null, zone, days: reads.days, byStore: reads.stores }
  }
}

/** A store that the app may not read counts as none picked. */
function pickedStore(connections: AppConnections, wanted: string): ConnectedStore | null {
  const id = parseInt64(wanted)
  return storesOf(connections).find(store => store.id === id) ?? null
}
