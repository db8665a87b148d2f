import { html } from 'ghtml'
import type { App, WebhookDelivery, WebhookEndpoint } from '../../../storage/port/index.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { appFrame } from '../app/frame.view.ts'
import { answerOf, endpointPath, stateBadge } from './endpoint.view.ts'

interface DeliveryView {
  viewer: Viewer
  app: App
  endpoint: WebhookEndpoint
  delivery: WebhookDelivery
}

export const deliveryPage = ({ viewer, app, endpoint, delivery }: DeliveryView): Page =>
  appFrame({
    viewer,
    app,
    tab: '/webhooks',
    body: html`!${card({ title: 'Delivery', beside: stateBadge(delivery), body: facts(factsOf(endpoint, delivery)) })}
      !${card({ title: 'Request', body: html`<pre class="sent">${delivery.body}</pre>` })}
      !${delivery.answer ? card({ title: 'Answer', body: html`<pre class="sent">${delivery.answer}</pre>` }) : ''}
      !${postForm(
        `${endpointPath(app, endpoint)}/deliveries/${delivery.id}/resend`,
        viewer.csrf,
        html`<div class="actions"><button type="submit">Send again</button>
          <a class="button secondary" href="${endpointPath(app, endpoint)}">Back to the endpoint</a></div>`,
        { once: true },
      )}
      <p class="muted">It is sent again with the same <code>webhook-id</code>. The log keeps the beginning of an answer.</p>`,
  })

const timeOf = (ms: number): string => viewerTime(Math.floor(ms / 1000), { precision: 'second' })

function factsOf({ url }: WebhookEndpoint, delivery: WebhookDelivery): Fact[] {
  const { id, type, created_at_ms, attempts, attempted_at_ms, duration_ms } = delivery
  return [
    { term: 'webhook-id', html: html`<code class="value">${id}</code>` },
    { term: 'Event', text: type },
    { term: 'URL', html: html`<span class="sent">${url}</span>` },
    { term: 'Created', html: timeOf(created_at_ms) },
    { term: 'Attempts', text: String(attempts) },
    ...(attempted_at_ms === null ? [] : [{ term: 'Last attempt', html: timeOf(attempted_at_ms) }]),
    { term: 'Answer', text: answerOf(delivery) },
    ...(duration_ms === null ? [] : [{ term: 'Duration', text: `${duration_ms} ms` }]),
  ]
}
