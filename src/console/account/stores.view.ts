import { html } from 'ghtml'
import type { MerchantStore } from '../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { card } from '../parts/card.ts'
import { emptyState } from '../parts/empty-state.ts'
import { zoneName } from '../parts/format/time.ts'
import { pageHeader } from '../parts/page-header.ts'
import { table } from '../parts/table.ts'
import { dataLinks } from '../store-data/frame.view.ts'
import { showStores, type StorePart } from './store-part.view.ts'

interface StoresView {
  viewer: Viewer
  stores: readonly MerchantStore[]
  part: StorePart
}

const path = '/account/stores'

export const storesPage = ({ viewer, stores, part }: StoresView): Page => {
  const { rows, search, pages } = showStores(stores, part, path)
  return layout({
    title: 'Stores',
    viewer,
    path,
    body: html`!${pageHeader({ title: 'Stores', lead: { text: 'The orders, items and sales of your stores, as apps can read them.' } })}
      !${search}
      !${rows.length === 0 ? nothing(stores.length) : card({ body: storeTable(rows) })}
      !${pages}`,
  })
}

const nothing = (stores: number): string =>
  stores === 0
    ? emptyState({
        title: 'Your account has no stores yet',
        content: {
          text: 'Ask your point-of-sale platform to register your stores for your email address.',
        },
      })
    : emptyState({
        title: 'No store has this name',
        content: { text: 'Search for a part of the name.' },
        action: { href: path, label: 'Show all' },
      })

const storeTable = (rows: readonly MerchantStore[]): string =>
  table<MerchantStore>({
    caption: 'Your stores',
    rows,
    columns: [
      { title: 'Store', html: ({ id, name }) => html`<a href="${path}/${id}/orders">${name}</a>` },
      { title: 'Id', text: ({ id }) => String(id) },
      { title: 'Time zone', text: ({ timezone }) => zoneName(timezone) },
      { title: 'Data', html: ({ id, name }) => namedLinks(`${path}/${id}`, name) },
    ],
  })

/** Named by the store for screen readers, because each row has the same ones. */
const namedLinks = (base: string, name: string): string =>
  dataLinks(base)
    .map(
      ({ href, label }) =>
        html`<a href="${href}">${label}<span class="visually-hidden"> of ${name}</span></a>`,
    )
    .join(' · ')
