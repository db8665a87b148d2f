import { html } from 'ghtml'
import type { App, WebhookDelivery, WebhookEndpoint } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { badge, type Tone } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { copyable } from '../../parts/copyable.ts'
import { facts } from '../../parts/facts.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { viewerTime, viewerZone } from '../../parts/format/time.ts'
import { notice } from '../../parts/notice.ts'
import { table } from '../../parts/table.ts'
import { disabledReasons, healthBadge } from '../../parts/webhook-health.ts'
import { appFrame } from '../app/frame.view.ts'
import { samples } from './samples.view.ts'
import { webhooksPath } from './webhooks.view.ts'

interface EndpointView {
  viewer: Viewer
  app: App
  endpoint: WebhookEndpoint
}

export const endpointPath = (app: Pick<App, 'id'>, { id }: Pick<WebhookEndpoint, 'id'>): string =>
  `${webhooksPath(app)}/${id}`

const outcomes = {
  tested: 'The test event is being sent. Reload the page to see the answer.',
  resent: 'The delivery is sent again. Reload the page to see the answer.',
  disabled: 'The endpoint is disabled: nothing more is sent to it.',
  enabled: 'The endpoint is enabled. It is called for every store that has changed.',
}

type Done = keyof typeof outcomes

export const isDone = (word: string): word is Done => Object.hasOwn(outcomes, word)

export const endpointPage = (
  view: EndpointView & { deliveries: WebhookDelivery[]; called: boolean; done: Done | null },
): Page =>
  appFrame({
    viewer: view.viewer,
    app: view.app,
    tab: '/webhooks',
    body: html`!${view.done === null ? '' : notice({ tone: 'good', content: { text: outcomes[view.done] } })}
      !${trouble(view.endpoint)}
      !${card({ title: 'Endpoint', beside: healthBadge(view.endpoint, view.called), body: about(view) })}
      !${card({ title: 'Last deliveries', body: deliveryTable(view) })}
      !${card({ title: 'Verify a signature', body: samples })}
      <p><a href="${webhooksPath(view.app)}">All endpoints</a></p>`,
  })

function trouble({ disabled_at, reason, failing_since, failures, retry_at_ms }: WebhookEndpoint): string {
  if (disabled_at !== null) {
    const why = reason === null ? '' : disabledReasons[reason]
    return notice({
      tone: 'bad',
      content: {
        html: html`${why} (!${viewerTime(disabled_at)}) Enable it when it works again: it then receives every store that has changed.`,
      },
    })
  }
  if (failing_since === null) return ''
  const next = viewerTime(Math.ceil(retry_at_ms / 1000), { precision: 'second' })
  return notice({
    tone: 'warn',
    content: {
      html: html`It has failed ${failures === 1 ? 'once' : `${failures} times`} since !${viewerTime(failing_since)}. The next attempt is at !${next}. One
        success makes everything due at once; a test event is sent now.`,
    },
  })
}

function about({ viewer, app, endpoint }: EndpointView): string {
  const path = endpointPath(app, endpoint)
  const button = (word: string, label: string) =>
    postForm(
      `${path}/${word}`,
      viewer.csrf,
      html`<button type="submit" class="secondary">${label}</button>`,
      {
        once: true,
      },
    )
  const { disabled_at, previous_until } = endpoint
  return html`!${facts([
    { term: 'URL', html: html`<span class="sent">${endpoint.url}</span>` },
    { term: 'Events', text: endpoint.events.join(', ') },
    { term: 'Id', html: html`<code>${endpoint.id}</code>` },
    { term: 'Created', html: viewerTime(endpoint.created_at) },
    ...(previous_until === null
      ? []
      : [{ term: 'The previous secret signs until', html: viewerTime(previous_until) }]),
  ])}
  <div class="actions">
    !${disabled_at === null ? button('test', 'Send a test event') : button('enable', 'Enable')}
    !${button('rotate', 'Rotate the secret')}
    !${disabled_at === null ? button('disable', 'Disable') : ''}
    <a class="button secondary" href="${path}/delete">Delete</a>
  </div>`
}

const deliveryTable = ({
  app,
  endpoint,
  deliveries,
}: EndpointView & { deliveries: WebhookDelivery[] }): string =>
  deliveries.length === 0
    ? html`<p class="muted">Nothing was sent yet. Send a test event to try the endpoint.</p>`
    : table<WebhookDelivery>({
        caption: 'Deliveries, newest first',
        rows: deliveries,
        columns: [
          {
            title: 'Time',
            note: viewerZone,
            html: ({ created_at_ms }) =>
              viewerTime(Math.floor(created_at_ms / 1000), { precision: 'second', named: false }),
          },
          {
            title: 'Event',
            names: true,
            html: ({ id, type, store_id }) =>
              html`<a href="${endpointPath(app, endpoint)}/deliveries/${id}">${type}</a>
                !${store_id === null ? '' : html`<small>Store ${String(store_id)}</small>`}`,
          },
          { title: 'State', html: stateBadge },
          { title: 'Answer', text: answerOf },
          { title: 'Attempts', align: 'end', text: ({ attempts }) => String(attempts) },
        ],
      })

const tones: Record<WebhookDelivery['state'], Tone> = { pending: 'info', delivered: 'good', failed: 'bad' }

export const stateBadge = ({ state }: WebhookDelivery): string => badge(state, tones[state])

export const answerOf = ({ status, problem }: WebhookDelivery): string =>
  problem ?? (status === null ? '–' : `HTTP ${status}`)

/** Answers a form, so no address leads back to it. */
export const webhookSecretPage = ({
  viewer,
  app,
  endpoint,
  secret,
}: EndpointView & { secret: string }): Page =>
  layout({
    title: 'The endpoint’s secret',
    viewer,
    width: 'narrow',
    body: html`<h1>The endpoint’s secret</h1>
      <section class="card secret">
        !${facts([
          { term: 'URL', html: html`<span class="sent">${endpoint.url}</span>` },
          { term: 'Secret', html: copyable({ value: secret, id: 'webhook-secret', what: 'secret' }) },
        ])}
        <p><strong>Copy the secret now: it is shown only once.</strong> Your receiver verifies with it that a call comes from
          this server. A secret that it replaces signs too for 24 hours.</p>
      </section>
      <p class="actions"><a class="button" href="${endpointPath(app, endpoint)}">I have copied it</a></p>`,
  })

export const deletePage = ({ viewer, app, endpoint }: EndpointView): Page =>
  layout({
    title: 'Delete the endpoint',
    viewer,
    width: 'narrow',
    body: html`<h1>Delete this endpoint of ${app.name}?</h1>
      !${confirmPanel({
        action: `${endpointPath(app, endpoint)}/delete`,
        csrf: viewer.csrf,
        content: {
          html: html`<p class="sent">${endpoint.url}</p>
            <p>Nothing more is sent to it, and the log of its deliveries is deleted. A new endpoint gets another secret and
              starts at the current state of the stores.</p>`,
        },
        confirm: 'Delete the endpoint',
        cancel: { href: endpointPath(app, endpoint), label: 'Keep the endpoint' },
        danger: true,
      })}`,
  })
