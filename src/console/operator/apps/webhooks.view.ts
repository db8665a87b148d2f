import { html } from 'ghtml'
import type { ListedEndpoint } from '../../../domain/webhooks/endpoints.ts'
import type { App } from '../../../storage/port/index.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { table } from '../../parts/table.ts'
import { healthBadge } from '../../parts/webhook-health.ts'
import { endpointName } from '../webhooks/webhooks.view.ts'

interface AppWebhooks {
  app: App
  endpoints: readonly ListedEndpoint[]
  paused: boolean
}

/** Nothing for an app without endpoints. */
export const webhooksCard = ({ app, endpoints, paused }: AppWebhooks): string =>
  endpoints.length === 0 && !paused
    ? ''
    : card({
        title: 'Webhooks',
        beside: paused ? badge('Paused', 'warn') : '',
        body: html`!${endpoints.length === 0 ? html`<p class="muted">The app has no endpoints.</p>` : endpointTable(endpoints)}
          <div class="actions">!${action(app, paused)}</div>`,
      })

const action = ({ id }: App, paused: boolean): string =>
  paused
    ? html`<a class="button" href="/operator/apps/${id}/webhooks/resume">Resume webhooks</a>`
    : html`<a class="button secondary" href="/operator/apps/${id}/webhooks/pause">Pause webhooks</a>`

const endpointTable = (rows: readonly ListedEndpoint[]): string =>
  table<ListedEndpoint>({
    caption: 'Endpoints of this app',
    rows,
    columns: [
      { title: 'Endpoint', names: true, html: endpointName },
      { title: 'Events', text: ({ events }) => events.join(', ') },
      { title: 'State', html: endpoint => healthBadge(endpoint, endpoint.called) },
      { title: 'Created', html: ({ created_at }) => viewerTime(created_at) },
    ],
  })
