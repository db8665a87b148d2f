import { html } from 'ghtml'
import { hostOf } from '../../../domain/webhooks/endpoints.ts'
import type { FailingEndpoint, WebhookEndpoint, WebhookSummary } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { type Stat, statTiles } from '../../parts/stat-tiles.ts'
import { table } from '../../parts/table.ts'
import { disabledReasons, healthBadge } from '../../parts/webhook-health.ts'

interface WebhooksView extends WebhookSummary {
  viewer: Viewer
  oldest_pending_ms: number | null
  /** The database was restored or copied. */
  paused: boolean
}

export const webhooksPage = (view: WebhooksView): Page =>
  layout({
    title: 'Webhooks',
    viewer: view.viewer,
    path: '/operator/webhooks',
    body: html`!${pageHeader({ title: 'Webhooks', lead: { text: 'Webhook deliveries to the endpoints of all apps.' } })}
      !${view.paused ? notice({ tone: 'warn', content: { html: pausedText } }) : ''}
      !${statTiles(states(view))}
      <p class="muted">Deliveries in the log, which keeps the last 200 of each endpoint. Pending: waiting for the first
        attempt or a retry. To stop the calls to an app, open its page and pause its webhooks.</p>
      !${card({ title: 'Endpoints that fail or are disabled', body: failingTable(view.failing) })}`,
  })

const pausedText = html`Webhooks are stopped for this database, because it was restored or copied, or by
  <code>tillgate webhook stop</code>. <code>tillgate webhook resume</code> starts the calls; nothing is lost meanwhile.`

function states({ deliveries, oldest_pending_ms }: WebhooksView): Stat[] {
  const oldest =
    oldest_pending_ms === null
      ? 'None'
      : viewerTime(Math.floor(oldest_pending_ms / 1000), { precision: 'second' })
  return [
    { label: 'Delivered', text: formatNumber(deliveries.delivered) },
    { label: 'Pending', text: formatNumber(deliveries.pending) },
    { label: 'Failed', text: formatNumber(deliveries.failed) },
    { label: 'Oldest pending', html: oldest, hint: 'of endpoints that do not fail' },
  ]
}

const failingTable = (rows: readonly FailingEndpoint[]): string =>
  rows.length === 0
    ? emptyState({ title: 'Every endpoint works', content: { text: 'None fails, and none is disabled.' } })
    : table<FailingEndpoint>({
        caption: 'Endpoints that fail or are disabled, the longest first; at most 100',
        rows,
        columns: [
          {
            title: 'App',
            names: true,
            html: ({ app_id, app_name }) => html`<a href="/operator/apps/${app_id}">${app_name}</a>`,
          },
          { title: 'Endpoint', html: endpointName },
          { title: 'State', html: endpoint => healthBadge(endpoint, true) },
          {
            title: 'Since',
            html: ({ failing_since, disabled_at, created_at }) =>
              viewerTime(failing_since ?? disabled_at ?? created_at),
          },
          { title: 'Failures', align: 'end', text: ({ failures }) => formatNumber(failures) },
          { title: 'Why', text: whyOf },
        ],
      })

/** Its host alone: the path or query may hold a secret. */
export const endpointName = (endpoint: WebhookEndpoint): string =>
  html`<span class="sent">${hostOf(endpoint)}</span> <small><code>${endpoint.id}</code></small>`

const whyOf = ({ reason, problem }: FailingEndpoint): string =>
  [reason === null ? '' : disabledReasons[reason], problem ?? ''].filter(text => text !== '').join(' ') || '–'
