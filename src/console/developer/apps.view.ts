import { html } from 'ghtml'
import { splitScope } from '../../contract/scopes.ts'
import type { RequestFigures } from '../../domain/usage/requests.ts'
import type { App } from '../../storage/port/index.ts'
import { appsPath, stateBadges } from './app/frame.view.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { card } from '../parts/card.ts'
import { formatNumber } from '../parts/format/numbers.ts'
import { emptyState } from '../parts/empty-state.ts'
import { pageHeader } from '../parts/page-header.ts'
import { pagination } from '../parts/pagination.ts'
import { table } from '../parts/table.ts'
import { viewerTime } from '../parts/format/time.ts'

interface ListedApp {
  app: App
  figures: RequestFigures
}

interface MyAppsView {
  viewer: Viewer
  /** The apps of this page. */
  apps: ListedApp[]
  /** The number of apps on all pages. */
  total: number
  page: number
  pages: number
}

export const myAppsPage = (view: MyAppsView): Page =>
  layout({
    title: 'My apps',
    viewer: view.viewer,
    path: appsPath,
    body: html`!${pageHeader({
      title: 'My apps',
      lead: { text: 'Each app has a client_id and can read the stores whose merchants allowed it.' },
      ...(view.total > 0 && { actions: html`<a class="button" href="${appsPath}/new">Create an app</a>` }),
    })}
      !${view.total === 0 ? noApps : card({ body: appTable(view.apps) + paging(view) })}`,
  })

const noApps = emptyState({
  title: 'You have no apps yet',
  content: {
    html: html`Create one to get a client_id and a secret. The <a href="/docs/">API reference</a> lists what it can
      read.`,
  },
  action: { href: `${appsPath}/new`, label: 'Create an app' },
})

const appTable = (apps: ListedApp[]): string =>
  table<ListedApp>({
    caption: 'My apps',
    rows: apps,
    columns: [
      {
        title: 'Name',
        html: ({ app }) => html`<a href="${appsPath}/${app.id}">${app.name}</a> !${stateBadges(app)}`,
      },
      { title: 'client_id', html: ({ app }) => html`<code class="value">${app.id}</code>` },
      {
        title: 'Scopes',
        html: ({ app }) =>
          html`<ul class="plain">!${splitScope(app.scope).map(name => html`<li>${name}</li>`)}</ul>`,
      },
      { title: 'Requests, 24 h', align: 'end', text: ({ figures }) => formatNumber(figures.requests) },
      { title: 'Errors, 24 h', align: 'end', text: ({ figures }) => formatNumber(errorsOf(figures)) },
      { title: 'Created', html: ({ app }) => viewerTime(app.created_at, { precision: 'day' }) },
    ],
  })

const errorsOf = ({ client_errors, server_errors }: RequestFigures): number => client_errors + server_errors

const paging = ({ page, pages, total }: MyAppsView): string =>
  pagination({
    label: 'Pages of my apps',
    newer: page > 1 ? `${appsPath}?page=${page - 1}` : null,
    older: page < pages ? `${appsPath}?page=${page + 1}` : null,
    position: `Page ${page} of ${pages}, ${formatNumber(total)} apps`,
  })
