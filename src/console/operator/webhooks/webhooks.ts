import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { webhooksPage } from './webhooks.view.ts'

/** Webhook deliveries of all apps. */
export function operatorWebhooks(scope: PageScope, { storage: { webhooks } }: ConsoleDeps): void {
  scope.get('/operator/webhooks', async ({ viewer }, reply) => {
    const [{ deliveries, failing }, oldest_pending_ms, { paused }] = await Promise.all([
      webhooks.summary(),
      webhooks.oldestPending(),
      webhooks.sender(),
    ])
    return sendHtml(reply, webhooksPage({ viewer, deliveries, failing, oldest_pending_ms, paused }))
  })
}
