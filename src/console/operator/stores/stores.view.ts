import { html } from 'ghtml'
import type { Found, FoundStore } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
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
  /** The app whose stores alone are shown. */
  of: { id: string; name: string } | null
  found: Found<FoundStore> & { page: number }
}

export const storesPage = ({ viewer, q, of, found }: StoresView): string =>
  layout({
    title: 'Stores',
    viewer,
    path,
    body: html`!${pageHeader({ title: 'Stores', lead: { text: 'What the platform has sent, and whose it is.' } })}
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
      html: html`Only what <a href="/operator/apps/${encodeURIComponent(id)}">${name}</a> may read now.
        <a href="${path}">Show all</a>`,
    },
  })

const none = (searched: boolean): string =>
  searched
    ? emptyState({
        title: 'No store is like this',
        content: { text: 'A store is found by its name, its id or the email of its merchant.' },
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
