import type { Connections } from '../../domain/apps/connected-apps.ts'
import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { connectedAppsPage, type Revoked } from './apps.view.ts'

/** The merchant's home: every app that can read one of the stores. */
export function connectedAppsList(scope: PageScope, { connectedApps, figures }: ConsoleDeps): void {
  const schema = { querystring: fields({ revoked: text }) }

  scope.get('/account/apps', { schema }, async ({ account, viewer, query }, reply) => {
    const connections = await connectedApps.list(account)
    const ids = connections.stores.map(({ id }) => id)
    const reads = await figures.reads.byApp(ids)
    const revoked = revokedApp(connections, query.revoked)
    return sendHtml(reply, connectedAppsPage({ viewer, connections, reads, revoked }))
  })
}

/** What is left of the connection that the merchant has just revoked; null when there is nothing to report. */
function revokedApp({ stores, own, linked }: Connections, app_id: string): Revoked {
  if (app_id === '' || own.some(({ app }) => app.id === app_id)) return null
  const left = linked.find(({ app }) => app.id === app_id)
  return left ? { app: left.app, stores, own: null, linked: left } : 'all'
}
