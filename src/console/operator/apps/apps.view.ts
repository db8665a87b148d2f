import { html } from 'ghtml'
import type { Found, FoundApp } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { listPagination } from '../listing.ts'
import { appState } from '../state-badges.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { searchForm } from '../../parts/form/search-form.ts'
import { table } from '../../parts/table.ts'
import { viewerTime } from '../../parts/format/time.ts'

const path = '/operator/apps'

interface AppsView {
  viewer: Viewer
  q: string
  found: Found<FoundApp> & { page: number }
}

export const appsPage = ({ viewer, q, found }: AppsView): Page =>
  layout({
    title: 'Apps',
    viewer,
    path,
    body: html`!${pageHeader({ title: 'Apps', lead: { text: 'All registered apps.' } })}
      !${searchForm({ action: path, label: 'Search', value: q, placeholder: 'Name, client_id or email' })}
      !${found.total === 0 ? none(q) : card({ body: appTable(found.rows) })}
      !${listPagination({ label: 'Apps', path, q, found })}`,
  })

const none = (q: string): string =>
  q === ''
    ? emptyState({
        title: 'There are no apps yet',
        content: {
          html: html`Developers create apps on their own pages. You can create one with <code>tillgate app create</code>.`,
        },
      })
    : emptyState({
        title: 'No apps found',
        content: { text: 'Search by name, by client_id or by the developer’s email.' },
        action: { href: path, label: 'Show all' },
      })

const appTable = (rows: readonly FoundApp[]): string =>
  table<FoundApp>({
    caption: 'Apps',
    rows,
    columns: [
      { title: 'Name', html: ({ id, name }) => html`<a href="${path}/${id}">${name}</a>` },
      { title: 'client_id', html: ({ id }) => html`<code class="value">${id}</code>` },
      { title: 'Developer', html: owner },
      { title: 'State', html: appState },
      { title: 'Created', html: ({ created_at }) => viewerTime(created_at, { precision: 'day' }) },
    ],
  })

const owner = ({ owner_id, owner_email }: FoundApp): string =>
  owner_id === null
    ? html`<span class="muted">command line</span>`
    : html`<a href="/operator/accounts/${owner_id}">${owner_email ?? owner_id}</a>`
