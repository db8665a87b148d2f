import { html } from 'ghtml'
import { type AppConnections, type ReadableStore, storesOf } from '../../../domain/apps/connected-apps.ts'
import type { Seconds } from '../../../lib/clock.ts'
import { askOperator } from '../access.view.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { storeNames } from '../../parts/format/store-name.ts'
import { storeTime } from '../../parts/format/time.ts'
import { table } from '../../parts/table.ts'
import { showStores, type StorePart } from '../store-part.view.ts'

/** When the app last read each store. */
export type LastReads = ReadonlyMap<bigint, Seconds>

/** The stores that the app can read, and who allowed each; with search and pages when there are many. */
export function storesCard(connections: AppConnections, last: LastReads, part: StorePart): string {
  const all = storesOf(connections)
  const { rows, search, pages } = showStores(all, part, `/account/apps/${connections.app.id}`)
  return card({
    title: 'Stores it can read',
    body: html`!${connections.linked ? html`<p>Your platform’s operator connected it to stores of yours. ${askOperator}</p>` : ''}
      !${search}
      !${rows.length === 0 ? html`<p>${nothing(all.length, part.search)}</p>` : storeTable(rows, connections, last)}
      !${pages}`,
  })
}

function nothing(stores: number, search: string): string {
  if (stores === 0) return 'None. Change the stores to allow some.'
  return search === '' ? 'No more stores.' : `No store has “${search}” in its name.`
}

const storeTable = (rows: readonly ReadableStore[], { stores }: AppConnections, last: LastReads): string =>
  table<ReadableStore>({
    caption: 'Stores',
    rows,
    columns: [
      { title: 'Store', text: storeNames(stores) },
      { title: 'Allowed by', text: allowedBy },
      { title: 'Since', html: ({ since, timezone }) => storeTime(since, timezone) },
      {
        title: 'Activated',
        html: ({ activated_at, timezone }) =>
          activated_at === null ? badge('Not yet') : storeTime(activated_at, timezone),
      },
      {
        title: 'Last read',
        html: ({ id, timezone }) => lastRead(last.get(id), timezone),
      },
    ],
  })

const lastRead = (at: Seconds | undefined, zone: string): string =>
  at === undefined ? html`<span class="muted">Never</span>` : storeTime(at, zone)

function allowedBy({ by_merchant, by_operator }: ReadableStore): string {
  if (by_merchant && by_operator) return 'You and the operator'
  return by_merchant ? 'You' : 'The operator'
}
