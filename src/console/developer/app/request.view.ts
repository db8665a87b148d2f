import { html } from 'ghtml'
import { endpointCode } from '../../parts/format/endpoint.ts'
import type { App, LoggedRequest } from '../../../storage/port/index.ts'
import type { Page, Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { appFrame } from './frame.view.ts'
import { adviceHtml, latencyOf, pathOf, toneOf } from './requests.view.ts'

interface RequestView {
  viewer: Viewer
  app: App
  entry: LoggedRequest
}

/** Of a request that was not refused, neither query nor problem is known. */
export const requestPage = ({ viewer, app, entry }: RequestView): Page =>
  appFrame({
    viewer,
    app,
    tab: '/requests',
    body: html`!${card({ title: 'Request', body: facts(factsOf(entry)) })}
      <p class="muted">The log keeps the query and the problem of refused requests, without tokens and secrets: values that
        are named or look like one are shown as <code>[removed]</code>. It keeps no other URL, header or body.</p>
      <p><a href="${pathOf(app)}">All requests</a></p>`,
  })

function factsOf(entry: LoggedRequest): Fact[] {
  const { at_ms, endpoint, store_id, status, request_id, error_code, query, problem } = entry
  return [
    { term: 'Request id', html: html`<code class="value">${request_id}</code>` },
    { term: 'Time', html: viewerTime(Math.floor(at_ms / 1000), { precision: 'second' }) },
    { term: 'Endpoint', html: endpointCode(endpoint) },
    ...(store_id === null ? [] : [{ term: 'Store', text: String(store_id) }]),
    ...(query === null ? [] : [{ term: 'Query', html: html`<code class="sent">${query}</code>` }]),
    { term: 'Status', html: badge(String(status), toneOf(status)) },
    ...(error_code === null ? [] : [{ term: 'Error', html: html`<code>${error_code}</code>` }]),
    ...(problem === null ? [] : [{ term: 'Problem', html: html`<div class="sent">${problem}</div>` }]),
    ...(error_code === null ? [] : [{ term: 'What to do', html: adviceHtml(error_code) }]),
    { term: 'Latency', text: latencyOf(entry) },
  ]
}
