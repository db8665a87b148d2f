import { referenceHeaders } from '../../../http/ops/reference.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { tryExamples, withExamples } from './try-openapi.ts'
import { tryPage } from './try.view.ts'

/** The API reference with the app selected: its client_id is filled in; the secret is typed in and not stored. */
export function developerTry(scope: PageScope, { issuer, storage, clock }: ConsoleDeps): void {
  scope.get('/developer/apps/:app_id/try', async ({ ownApp: app }, reply) =>
    sendHtml(reply.headers(referenceHeaders()), tryPage({ app, issuer })),
  )

  /** The description of the API, with a store of the app and yesterday as examples, which the reference fills in. */
  scope.get('/developer/apps/:app_id/try/openapi.json', async ({ ownApp: app, server }) => {
    const { rows } = await storage.browse.stores({ text: '', offset: 0, limit: 1, app_id: app.id })
    return withExamples(await server.openapi(), tryExamples(clock, rows[0]?.id ?? null))
  })
}
