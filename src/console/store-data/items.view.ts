import { html } from 'ghtml'
import type { Page } from '../layout.ts'
import { itemStatuses } from '../../contract/codes.ts'
import type { StoredItem } from '../../domain/store-data/items.ts'
import type { Found } from '../../domain/store-data/scan.ts'
import { digitsOf } from '../../lib/exact-json.ts'
import { badge } from '../parts/badge.ts'
import { card } from '../parts/card.ts'
import { emptyState } from '../parts/empty-state.ts'
import { searchForm } from '../parts/form/search-form.ts'
import { formatMoney } from '../parts/format/money.ts'
import { pagination } from '../parts/pagination.ts'
import { table } from '../parts/table.ts'
import { withQuery } from '../parts/with-query.ts'
import { itemCursor } from './cursor.ts'
import { dataFrame, exportLink } from './frame.view.ts'
import type { OpenStore } from './store.ts'

interface ItemsView {
  open: OpenStore
  q: string
  isFirst: boolean
  found: Found<StoredItem>
}

export const itemStatus = (status: number): string =>
  (itemStatuses as Readonly<Record<number, string>>)[status] ?? `code ${status}`

export const itemsPage = (view: ItemsView): Page => {
  const { open, q, isFirst, found } = view
  const path = `${open.base}/items`
  return dataFrame({
    open,
    current: 'items',
    title: 'Items',
    actions: exportLink(`${path}/export`),
    body: html`!${searchForm({ action: path, label: 'Find an item', value: q, placeholder: 'Part of a name or category, or an id' })}
      !${found.entries.length === 0 ? nothing(view, path) : card({ body: itemTable(found.entries) })}
      !${pagination({
        label: 'Items',
        newer: isFirst ? null : withQuery(path, { q }),
        older: found.next === null ? null : withQuery(path, { q, after: itemCursor(found.next) }),
        words: { newer: 'First', older: 'Next' },
      })}`,
  })
}

function nothing({ q, isFirst, found }: ItemsView, path: string): string {
  const all = { href: path, label: 'Show all' }
  if (found.next !== null) {
    return emptyState({
      title: 'No match so far',
      content: { text: 'The store has many items. Press Next to look at more of them.' },
    })
  }
  if (q !== '') {
    return emptyState({
      title: 'No item matches',
      content: { text: 'Search for a part of a name or category, or for a whole id.' },
      action: all,
    })
  }
  return isFirst
    ? emptyState({
        title: 'This store has no items yet',
        content: { text: 'The point-of-sale platform sends them.' },
      })
    : emptyState({ title: 'No more items', content: { text: 'This is the end of the list.' }, action: all })
}

const itemTable = (rows: readonly StoredItem[]): string =>
  table<StoredItem>({
    caption: 'Items',
    rows,
    columns: [
      { title: 'Item', text: ({ name }) => name },
      { title: 'Id', html: ({ id }) => html`<span class="nowrap">${digitsOf(id)}</span>` },
      { title: 'Category', text: ({ category_name }) => category_name ?? '–' },
      { title: 'Price', align: 'end', text: ({ price }) => formatMoney(price) },
      {
        title: 'Status',
        html: ({ status }) => (status === 4 ? badge('Deleted', 'warn') : badge('Normal', 'good')),
      },
    ],
  })
