import { html } from 'ghtml'
import type { Found, FoundStore } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { listPagination } from '../listing.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { searchForm } from '../../parts/form/search-form.ts'
import { table } from '../../parts/table.ts'

const path = '/operator/stores'

interface StoresView {
  viewer: Viewer
  q: string
  /** Only stores of this app are shown. */
  of: { id: string; name: string } | null
  found: Found<FoundStore> & { page: number }
}

export const storesPage = ({ viewer, q, of, found }: StoresView): Page =>
  layout({
    title: 'Stores',
    viewer,
    path,
    body: html`!${pageHeader({ title: 'Stores', lead: { text: 'All stores that the platform has sent, with their merchants.' } })}
      !${of ? onlyOf(of) : ''}
      !${searchForm({
        action: path,
        label: 'Search',
        value: q,
        placeholder: 'Name, id or merchant',
        keep: of ? { app: of.id } : {},
      })}
      !${found.total === 0 ? none(q !== '' || of !== null) : card({ body: storeTable(found.rows) })}
      !${listPagination({ label: 'Stores', path, q, found, keep: { app: of?.id ?? null } })}`,
  })

const onlyOf = ({ id, name }: { id: string; name: string }): string =>
  notice({
    tone: 'info',
    content: {
      html: html`Only stores that <a href="/operator/apps/${encodeURIComponent(id)}">${name}</a> can read now.
        <a href="${path}">Show all</a>`,
    },
  })

const none = (searched: boolean): string =>
  searched
    ? emptyState({
        title: 'No stores found',
        content: { text: 'Search by name, by store id or by the merchant’s email.' },
        action: { href: path, label: 'Show all' },
      })
    : emptyState({
        title: 'There are no stores yet',
        content: {
          html: html`The platform sends them to <code>POST /platform/v1/records</code>, or you load a file with
            <code>tillgate import</code>.`,
        },
      })

const storeTable = (rows: readonly FoundStore[]): string =>
  table<FoundStore>({
    caption: 'Stores',
    rows,
    columns: [
      { title: 'Name', html: ({ id, name }) => html`<a href="${path}/${id}">${name}</a>` },
      { title: 'Id', text: ({ id }) => String(id) },
      { title: 'Merchant', text: ({ merchant }) => merchant ?? 'none' },
      { title: 'Time zone', text: ({ timezone }) => timezone },
    ],
  })
