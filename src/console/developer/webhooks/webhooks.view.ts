import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import type { ListedEndpoint } from '../../../domain/webhooks/endpoints.ts'
import { type App, type WebhookEvent, webhookEvents } from '../../../storage/port/index.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { choice } from '../../parts/form/choice.ts'
import { field, problemAt } from '../../parts/form/field.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { notice } from '../../parts/notice.ts'
import { table } from '../../parts/table.ts'
import { healthBadge } from '../../parts/webhook-health.ts'
import { appFrame, appsPath } from '../app/frame.view.ts'

interface WebhooksView {
  viewer: Viewer
  app: App
  endpoints: ListedEndpoint[]
  /** The operator has paused the app's webhooks. */
  paused: boolean
  /** The operator allows addresses that are not public. */
  allowsOthers: boolean
  form: { url: string; events: readonly string[] }
  problem?: InputError | undefined
  isDeleted: boolean
}

export const webhooksPath = ({ id }: Pick<App, 'id'>): string => `${appsPath}/${id}/webhooks`

const hints: Record<WebhookEvent, string> = {
  'store.changed': 'A store of the app has new or changed orders or items.',
  'authorization.granted': 'A merchant or the operator gives the app access to stores.',
  'authorization.changed': 'The stores that the app may read have changed.',
  'authorization.revoked': 'Access has ended.',
}

export const webhooksPage = (view: WebhooksView): Page =>
  appFrame({
    viewer: view.viewer,
    app: view.app,
    tab: '/webhooks',
    body: html`!${view.isDeleted ? notice({ tone: 'good', content: { text: 'The endpoint is deleted.' } }) : ''}
      !${view.paused ? notice({ tone: 'warn', content: { text: pausedText } }) : ''}
      <p>The server calls an endpoint within a second when a store of the app changes, or its access. The call says which
        store has changed; fetch the data itself from <code>/integration/v1/changes</code>.</p>
      !${view.endpoints.length === 0 ? '' : card({ title: 'Endpoints', body: endpointTable(view) })}
      !${card({ title: 'Add an endpoint', body: newForm(view) })}`,
  })

const pausedText =
  'The operator has paused the webhooks of this app. Nothing is lost: they are sent afterwards.'

const endpointTable = ({ app, endpoints }: WebhooksView): string =>
  table<ListedEndpoint>({
    caption: 'Endpoints of this app',
    rows: endpoints,
    columns: [
      {
        title: 'URL',
        html: ({ id, url }) =>
          html`<a href="${webhooksPath(app)}/${id}"><span class="sent">${url}</span></a>`,
      },
      { title: 'Events', text: ({ events }) => events.join(', ') },
      { title: 'Health', html: endpoint => healthBadge(endpoint, endpoint.called) },
      { title: 'Created', html: ({ created_at }) => viewerTime(created_at) },
    ],
  })

const publicHint = 'It begins with https:// and leads to a public address.'
const anyHint = `${publicHint} The operator allows some other addresses too, also with http://.`

const newForm = ({ viewer, app, allowsOthers, form, problem }: WebhooksView): string =>
  postForm(
    webhooksPath(app),
    viewer.csrf,
    html`!${problemAt('app', problem)}
      !${field({
        id: 'url',
        label: 'URL',
        hint: { text: allowsOthers ? anyHint : publicHint },
        problem,
        control: attributes =>
          html`<input type="url" name="url" value="${form.url}" !${attributes} maxlength="2000" required autocomplete="off">`,
      })}
      <fieldset><legend>Events</legend>
        !${problemAt('events', problem)}
        !${webhookEvents.map(event =>
          choice({
            name: 'events',
            value: event,
            label: event,
            hint: hints[event],
            checked: form.events.length === 0 || form.events.includes(event),
          }),
        )}
      </fieldset>
      <div class="actions"><button type="submit">Add endpoint</button></div>`,
    { once: true },
  )
