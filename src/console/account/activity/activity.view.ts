import { html } from 'ghtml'
import type { ActivityPage, ActivityPlace } from '../../../domain/usage/reads.ts'
import type { App, MerchantStore, ReadDelta } from '../../../storage/port/index.ts'
import { activityFrame, activityPath } from './frame.view.ts'
import type { Page, Viewer } from '../../layout.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { filterForm } from '../../parts/form/filter-form.ts'
import { pagination } from '../../parts/pagination.ts'
import { table } from '../../parts/table.ts'
import { storeNames } from '../../parts/format/store-name.ts'
import { storeTime } from '../../parts/format/time.ts'
import { withQuery } from '../../parts/with-query.ts'

interface ActivityView {
  viewer: Viewer
  stores: readonly MerchantStore[]
  /** Every app that has read one of the stores, by id. */
  apps: ReadonlyMap<string, App>
  filter: { app_id: string | null; store_id: bigint | null }
  after: ActivityPlace | null
  page: ActivityPage
}

export const activityPage = (view: ActivityView): Page =>
  activityFrame({
    viewer: view.viewer,
    current: activityPath,
    body: html`!${view.apps.size === 0 ? '' : filters(view)}
      !${view.page.rows.length === 0 ? nothing(view) : rows(view)}`,
  })

const filters = ({ stores, apps, filter }: ActivityView): string =>
  filterForm({
    action: activityPath,
    label: 'Filter',
    selects: [
      {
        name: 'app',
        label: 'App',
        all: 'All apps',
        value: filter.app_id ?? '',
        options: [...apps.values()]
          .sort((a, b) => a.name.localeCompare(b.name, 'en'))
          .map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: 'store',
        label: 'Store',
        all: 'All stores',
        value: filter.store_id === null ? '' : String(filter.store_id),
        options: named(stores),
      },
    ],
  })

function named(stores: readonly MerchantStore[]) {
  const names = storeNames(stores)
  return stores.map(store => ({ value: String(store.id), label: names(store) }))
}

function nothing({ filter, after, apps }: ActivityView): string {
  const narrowed = filter.app_id !== null || filter.store_id !== null || after !== null
  const all = { action: { href: activityPath, label: 'Show all' } }
  return emptyState({
    title: narrowed ? 'No reads match the filter' : 'No app has read your stores recently',
    content: {
      text:
        apps.size === 0
          ? 'When an app reads your orders or items, this page lists each hour in which it did.'
          : 'This page lists each hour in which an app read data, for 35 days.',
    },
    ...(narrowed && all),
  })
}

function rows({ stores, apps, filter, after, page }: ActivityView): string {
  const storeOf = new Map(stores.map(store => [store.id, store]))
  const names = storeNames(stores)
  const query = { app: filter.app_id, store: filter.store_id === null ? null : String(filter.store_id) }
  return html`!${card({
    body: table<ReadDelta>({
      caption: 'What apps read, hour by hour, newest first',
      rows: page.rows,
      columns: [
        {
          title: 'Hour',
          html: row => storeTime(row.bucket, storeOf.get(row.store_id)?.timezone ?? 'UTC'),
        },
        { title: 'App', text: ({ app_id }) => apps.get(app_id)?.name ?? app_id },
        {
          title: 'Store',
          text: ({ store_id }) => {
            const store = storeOf.get(store_id)
            return store ? names(store) : String(store_id)
          },
        },
        { title: 'Read', html: whatWasRead },
        { title: 'Requests', align: 'end', text: ({ requests }) => formatNumber(requests) },
      ],
    }),
  })}
    <p class="muted">Each row is one app, one store and one hour in the store’s time zone. Data that is read twice counts twice.</p>
    !${pagination({
      label: 'Hours',
      newer: after === null ? null : withQuery(activityPath, query),
      older: page.next === null ? null : withQuery(activityPath, { ...query, after: placeText(page.next) }),
      words: { newer: 'Newest', older: 'Older' },
    })}`
}

/** A request may return no rows. */
function whatWasRead({ orders, items, sales }: ReadDelta): string {
  const given = [
    orders === 0 ? [] : formatCount(orders, 'order'),
    items === 0 ? [] : formatCount(items, 'item'),
    sales === 0 ? [] : formatCount(sales, 'sales figure'),
  ].flat()
  return given.length === 0 ? html`<span class="muted">Nothing new</span>` : html`${given.join(', ')}`
}

const placeText = ({ bucket, store_id, app_id }: ActivityPlace): string => `${bucket}.${store_id}.${app_id}`
