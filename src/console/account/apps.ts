import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { connectedAppsPage } from './apps.view.ts'
import { shownDays } from './days.ts'

/** The merchant's home: every app that can read one of the stores. */
export function connectedAppsList(scope: PageScope, { connectedApps, figures }: ConsoleDeps): void {
  const schema = { querystring: fields({ revoked: text }) }

  scope.get('/account/apps', { schema }, async ({ account, viewer, query }, reply) => {
    const connections = await connectedApps.list(account)
    const ids = connections.stores.map(({ id }) => id)
    const reads = await figures.reads.byDayAndApp(ids, shownDays)
    const revoked = query.revoked === '1'
    return sendHtml(reply, connectedAppsPage({ viewer, connections, reads, revoked }))
  })
}
