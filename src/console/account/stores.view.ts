import { html } from 'ghtml'
import type { MerchantStore } from '../../storage/port/index.ts'
import { isFound } from '../consent/store-choice.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { card } from '../parts/card.ts'
import { emptyState } from '../parts/empty-state.ts'
import { searchForm } from '../parts/form/search-form.ts'
import { zoneName } from '../parts/format/time.ts'
import { pageHeader } from '../parts/page-header.ts'
import { pagination } from '../parts/pagination.ts'
import { table } from '../parts/table.ts'
import { withQuery } from '../parts/with-query.ts'
import type { StorePart } from './app/stores-card.view.ts'

interface StoresView {
  viewer: Viewer
  stores: readonly MerchantStore[]
  part: StorePart
}

const path = '/account/stores'
const pageSize = 50

export const storesPage = ({ viewer, stores, part: { search, page } }: StoresView): Page => {
  const found = stores.filter(store => isFound(store, search))
  const first = (page - 1) * pageSize
  const rows = found.slice(first, first + pageSize)
  const at = (number: number): string => withQuery(path, { q: search, page: number === 1 ? null : number })
  return layout({
    title: 'Stores',
    viewer,
    path,
    body: html`!${pageHeader({ title: 'Stores', lead: { text: 'The orders, items and sales of your stores, as apps can read them.' } })}
      !${stores.length < 8 && search === '' ? '' : searchForm({ action: path, label: 'Find a store', value: search })}
      !${rows.length === 0 ? nothing(stores.length) : card({ body: storeTable(rows) })}
      !${pagination({
        label: 'Stores',
        newer: page > 1 ? at(page - 1) : null,
        older: first + pageSize < found.length ? at(page + 1) : null,
        words: { newer: 'Previous', older: 'Next' },
        position: `${first + 1}–${first + rows.length} of ${found.length}`,
      })}`,
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
      { title: 'Data', html: ({ id, name }) => dataLinks(`${path}/${id}`, name) },
    ],
  })

/** Named by the store for screen readers, because each row has the same ones. */
const dataLinks = (base: string, name: string): string => {
  const link = (part: string, label: string): string =>
    html`<a href="${base}/${part}">${label}<span class="visually-hidden"> of ${name}</span></a>`
  return html`!${link('orders', 'Orders')} · !${link('items', 'Items')} · !${link('sales', 'Sales')}`
}
