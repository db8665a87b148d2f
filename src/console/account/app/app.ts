import type { FastifyInstance } from 'fastify'
import { type AppConnections, type ConnectedStore, storesOf } from '../../../domain/apps/connected-apps.ts'
import { parseInt64 } from '../../../lib/int64.ts'
import type { AppReads } from './chart.view.ts'
import { appPage } from './app.view.ts'
import { shownDays } from '../days.ts'
import type { AsMerchant } from '../../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { mostSeries } from '../../parts/chart/series.ts'
import { sendHtml } from '../../send-html.ts'
import { homeZone } from '../../parts/format/store-zone.ts'

/** One app: which stores it may read, what it may read of them, and what it did read. */
export function accountApp(
  app: FastifyInstance,
  { figures }: ConsoleDeps,
  { asConnected }: AsMerchant,
): void {
  app.get('/account/apps/:app_id', async (request, reply) =>
    asConnected(request, reply, async (connections, { viewer }) => {
      const query = request.query as { store?: unknown; saved?: unknown }
      const reads = await readsOf(connections, pickedStore(connections, query.store))
      return sendHtml(reply, appPage({ viewer, connections, reads, saved: query.saved === '1' }))
    }),
  )

  /** By the days of the picked store's zone, or of that of most of the app's stores. */
  async function readsOf(connections: AppConnections, picked: ConnectedStore | null): Promise<AppReads> {
    const stores = picked ? [picked] : storesOf(connections)
    const ids = stores.map(({ id }) => id)
    const zone = homeZone(stores)
    const { id } = connections.app
    const [days, byStore] = await Promise.all([
      figures.localReads.byDay(ids, id, shownDays, zone),
      stores.length < 2 ? [] : figures.localReads.byDayAndStore(ids, id, shownDays, zone, mostSeries - 1),
    ])
    return { picked: picked?.id ?? null, zone, days, byStore }
  }
}

/** A store that the app may not read is as if none was picked. */
function pickedStore(connections: AppConnections, wanted: unknown): ConnectedStore | null {
  const id = typeof wanted === 'string' ? parseInt64(wanted) : null
  return storesOf(connections).find(store => store.id === id) ?? null
}
