import { referenceHeaders } from '../../../http/ops/reference.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { tryPage } from './try.view.ts'

/** The API reference with the app selected: its client_id is filled in; the secret is typed in and not stored. */
export function developerTry(scope: PageScope, { issuer }: ConsoleDeps): void {
  scope.get('/developer/apps/:app_id/try', async ({ ownApp: app }, reply) =>
    sendHtml(reply.headers(referenceHeaders()), tryPage({ app, issuer })),
  )
}
