import { html } from 'ghtml'
import { type AppConnections, storesOf } from '../../../domain/apps/connected-apps.ts'
import type { LocalDay, StoreDays } from '../../../domain/usage/local-days.ts'
import { shownDays } from '../days.ts'
import { chart } from '../../parts/chart/chart.ts'
import { filterForm } from '../../parts/form/filter-form.ts'
import { storeNames } from '../../parts/format/store-name.ts'
import { formatShortDay, zoneName } from '../../parts/format/time.ts'
import { withQuery } from '../../parts/with-query.ts'

export interface AppReads {
  /** Only this store is shown; null for all stores. */
  picked: bigint | null
  /** The time zone of the days. */
  zone: string
  days: LocalDay[]
  byStore: StoreDays[]
}

/** What the app read by day: in total or from one store, and by store. */
export function appReadsCard(connections: AppConnections, reads: AppReads): string {
  const { app } = connections
  const stores = storesOf(connections)
  const here = `/account/apps/${app.id}`
  const { picked, zone, days, byStore } = reads
  const names = storeNames(connections.stores)
  const nameOf = new Map(stores.map(store => [store.id, names(store)]))
  const points = days.map(({ date }) => formatShortDay(date))
  const pointName = `Day, ${zoneName(zone)}`
  const from = picked === null ? '' : ` from ${nameOf.get(picked)}`
  const empty = `Nothing was read${from} in the last ${shownDays} days.`
  const split = (id: string, title: string, what: 'orders' | 'items'): string =>
    chart({
      id,
      title,
      kind: 'stacked',
      points,
      pointName,
      empty,
      series: byStore.map(({ store_id, days }) => ({
        name: storeName(store_id, nameOf),
        values: valuesOf(days, what),
      })),
    })
  return html`<section class="card" id="reads">
    <div class="card-header">
      <h2>What it read</h2>
      <a href="${withQuery('/account/activity', { app: app.id, store: picked === null ? null : String(picked) })}">Hour by hour</a>
    </div>
    !${
      stores.length < 2
        ? ''
        : filterForm({
            action: `${here}#reads`,
            label: 'Filter',
            selects: [
              {
                name: 'store',
                label: 'Store',
                all: 'All stores',
                value: picked === null ? '' : String(picked),
                options: stores.map(store => ({ value: String(store.id), label: names(store) })),
              },
            ],
          })
    }
    !${chart({
      id: 'reads-by-day',
      title: `Read${from} in the last ${shownDays} days, by day (${zoneName(zone)})`,
      kind: 'grouped',
      points,
      pointName,
      empty,
      series: [
        { name: 'Orders', values: valuesOf(days, 'orders') },
        { name: 'Items', values: valuesOf(days, 'items') },
      ],
    })}
    !${
      byStore.length < 2
        ? ''
        : html`<div class="grid-2">
            !${split('orders-by-store', 'Orders, by store', 'orders')}
            !${split('items-by-store', 'Items, by store', 'items')}
          </div>`
    }
  </section>`
}

const valuesOf = (days: readonly LocalDay[], what: 'orders' | 'items'): number[] => days.map(day => day[what])

const storeName = (id: StoreDays['store_id'], names: ReadonlyMap<bigint, string>): string =>
  id === null ? 'Other stores' : (names.get(id) ?? String(id))
