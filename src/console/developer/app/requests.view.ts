import { html } from 'ghtml'
import { maxEntriesOfApp } from '../../../domain/usage/log-trimming.ts'
import { type App, type LoggedRequest, usageRetention } from '../../../storage/port/index.ts'
import { adviceFor } from './error-advice.ts'
import { appFrame, appsPath } from './frame.view.ts'
import type { Page, Viewer } from '../../layout.ts'
import { badge, type Tone } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { endpointCode } from '../../parts/format/endpoint.ts'
import { pagination } from '../../parts/pagination.ts'
import { searchForm } from '../../parts/form/search-form.ts'
import { table } from '../../parts/table.ts'
import { viewerTime, viewerZone } from '../../parts/format/time.ts'

/** An empty text filters nothing. */
export interface LogFilter {
  request_id: string
  endpoint: string
  errors_only: boolean
}

interface RequestsView {
  viewer: Viewer
  app: App
  filter: LogFilter
  entries: LoggedRequest[]
  /** Endpoints that the app has used within the log's retention. */
  endpoints: string[]
  /** This page has the newest entries. */
  first: boolean
  /** Where the next page begins; null on the last page. */
  older: string | null
}

export const requestsPage = (view: RequestsView): Page =>
  appFrame({
    viewer: view.viewer,
    app: view.app,
    tab: '/requests',
    body: html`!${searchForm({
      action: pathOf(view.app),
      label: 'Request id',
      value: view.filter.request_id,
      placeholder: 'X-Request-Id of a response',
      fields: filterFields(view),
    })}
      !${view.entries.length === 0 ? nothing(view) : card({ body: logTable(view) + paging(view) })}
      <p class="muted">A request id leads to the request’s own page. Of refused requests the log keeps the query and the
        problem, without tokens and secrets. It keeps the newest ${formatNumber(maxEntriesOfApp)} requests of each app for
        ${usageRetention.log / 86_400} days. A request appears within seconds. When very many arrive within a few seconds,
        the log leaves some out, but keeps errors as long as it can; the charts count every request. Requests without a
        known app (an unknown client_id, a token from another server) are not in any log.</p>`,
  })

export const pathOf = (app: App): string => `${appsPath}/${app.id}/requests`

function filterFields({ endpoints, filter }: RequestsView): string {
  const known = filter.endpoint === '' || endpoints.includes(filter.endpoint)
  const listed = known ? endpoints : [...endpoints, filter.endpoint]
  return html`<label>Endpoint <select name="endpoint">
      <option value="">All</option>
      !${listed.map(
        one => html`<option value="${one}" !${one === filter.endpoint ? 'selected' : ''}>${one}</option>`,
      )}
    </select></label>
    <label class="tick"><input type="checkbox" name="errors" value="yes" !${filter.errors_only ? 'checked' : ''}> Errors only</label>`
}

const logTable = ({ app, entries }: RequestsView): string =>
  table<LoggedRequest>({
    caption: 'Requests, newest first',
    rows: entries,
    columns: [
      {
        title: 'Time',
        note: viewerZone,
        html: ({ at_ms }) => viewerTime(Math.floor(at_ms / 1000), { precision: 'second', named: false }),
      },
      {
        title: 'Endpoint',
        html: ({ endpoint, store_id, query }) =>
          html`!${endpointCode(endpoint)}!${store_id === null ? '' : html`<small>Store ${String(store_id)}</small>`}
            !${query === null ? '' : html`<small class="sent"><code>${shortened(query, 120)}</code></small>`}`,
      },
      { title: 'Status', html: ({ status }) => badge(String(status), toneOf(status)) },
      { title: 'Error', html: whatToDo },
      { title: 'Latency', align: 'end', text: latencyOf },
      {
        title: 'Request id',
        names: true,
        html: ({ request_id }) =>
          html`<a href="${pathOf(app)}/${request_id}"><code class="whole">${request_id}</code></a>`,
      },
    ],
  })

export const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good')

export const latencyOf = ({ milliseconds }: LoggedRequest): string =>
  `${formatNumber(milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds))} ms`

/** A request's own page has the whole text. */
const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text

/** The error code with the problem's first line, and how to fix it. */
function whatToDo({ error_code, problem }: LoggedRequest): string {
  if (error_code === null) return html`<span class="muted">–</span>`
  const [said = ''] = (problem ?? '').split('\n', 1)
  return html`<div class="advice"><code>${error_code}</code>
    !${said === '' ? '' : html`<span class="sent">${shortened(said, 200)}</span>`}
    <small>!${adviceHtml(error_code)}</small></div>`
}

/** Text between backticks is code. */
export const adviceHtml = (error_code: string): string =>
  adviceFor(error_code)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
    .join('')

/** Shown instead of an empty table. */
function nothing({ app, filter, first }: RequestsView): string {
  if (filter.request_id !== '') {
    return emptyState({
      title: 'No request has this id',
      content: {
        text: 'The request may be too old, left out of the log, or from another app. Every response has its id in the X-Request-Id header.',
      },
      action: { href: pathOf(app), label: 'Show all requests' },
    })
  }
  if (filter.endpoint !== '' || filter.errors_only || !first) {
    return emptyState({
      title: filter.errors_only ? 'No errors found' : 'No requests found',
      content: { text: 'No entry in the log matches the filter.' },
      action: { href: pathOf(app), label: 'Show all requests' },
    })
  }
  return emptyState({
    title: 'No requests yet',
    content: { text: 'Get a token with the app’s client_id and secret, then read something.' },
    action: { href: `${appsPath}/${app.id}/try`, label: 'Try it' },
  })
}

function paging({ app, filter, first, older }: RequestsView): string {
  const at = (before: string | null): string => {
    const query = new URLSearchParams({
      ...(filter.endpoint !== '' && { endpoint: filter.endpoint }),
      ...(filter.errors_only && { errors: 'yes' }),
      ...(before !== null && { before }),
    })
    return query.size === 0 ? pathOf(app) : `${pathOf(app)}?${query}`
  }
  return pagination({
    label: 'Pages of requests',
    newer: first ? null : at(null),
    older: older === null ? null : at(older),
    words: { newer: 'Newest', older: 'Older' },
  })
}
