import type { FastifyInstance } from 'fastify'
import { accountActivity } from './activity/activity.ts'
import { accountApp } from './app/app.ts'
import { connectedAppsPage } from './apps.view.ts'
import { accountEvents } from './activity/events.ts'
import { accountRevoke } from './app/revoke.ts'
import { accountStores } from './app/stores.ts'
import { shownDays } from './days.ts'
import { createAsMerchant } from '../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../deps.ts'
import { sendHtml } from '../send-html.ts'

/** The merchant's pages: which apps read which stores, since when, what they read; and the ways to change or end it. */
export function accountPages(app: FastifyInstance, deps: ConsoleDeps): void {
  const { connectedApps, figures } = deps
  const guards = createAsMerchant(deps)

  app.get('/account/apps', async (request, reply) =>
    guards.asMerchant(request, reply, async ({ account, viewer }) => {
      const revoked = (request.query as { revoked?: unknown }).revoked === '1'
      const connections = await connectedApps.list(account)
      const ids = connections.stores.map(({ id }) => id)
      const reads = await figures.reads.byDayAndApp(ids, shownDays)
      return sendHtml(reply, connectedAppsPage({ viewer, connections, reads, revoked }))
    }),
  )

  accountApp(app, deps, guards)
  accountStores(app, deps, guards)
  accountRevoke(app, deps, guards)
  accountActivity(app, deps, guards)
  accountEvents(app, deps, guards)
}
