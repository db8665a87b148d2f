import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppConnections } from '../../../domain/apps/connected-apps.ts'
import { changeStoresPage } from './stores.view.ts'
import { type AsMerchant, type Merchant, sendNotConnected } from '../../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { isTool, readChoice, type StoreChoice, useTool } from '../../consent/store-choice.ts'

interface Shown {
  choice?: StoreChoice
  problem?: string
}

/** Which stores an app may read, changed by the merchant who allowed it. */
export function accountStores(
  app: FastifyInstance,
  { connectedApps }: ConsoleDeps,
  { asConnected }: AsMerchant,
): void {
  function show(
    reply: FastifyReply,
    connections: AppConnections,
    merchant: Merchant,
    { choice, problem }: Shown = {},
  ): FastifyReply {
    const { own } = connections
    // What the operator connected is not the merchant's to change.
    if (!own) return sendNotConnected(reply, merchant)
    const picked = choice ?? { picked: new Set(own.stores.map(({ id }) => id)), search: '' }
    const view = { viewer: merchant.viewer, stores: connections.stores, own, choice: picked, problem }
    return sendHtml(reply, changeStoresPage(view), problem === undefined ? 200 : 422)
  }

  app.get('/account/apps/:app_id/stores', async (request, reply) =>
    asConnected(request, reply, async (connections, merchant) => show(reply, connections, merchant)),
  )

  app.post('/account/apps/:app_id/stores', { preHandler: app.csrfProtection }, async (request, reply) =>
    asConnected(request, reply, async (connections, merchant) => {
      const { own, stores } = connections
      if (!own) return sendNotConnected(reply, merchant)
      const sent = readChoice(request.body, stores)
      if (isTool(sent)) return show(reply, connections, merchant, { choice: useTool(sent, stores) })
      const here = `/account/apps/${own.app.id}`
      const picked = [...sent.picked]
      const changed =
        !sent.foreign &&
        picked.length > 0 &&
        (await connectedApps.changeStores(merchant.account, own.app.id, picked, fromOf(request)))
      if (changed) return reply.redirect(`${here}?saved=1`, 303)
      // No store is no access: that has a page of its own, which says what ends.
      if (!sent.foreign && picked.length === 0) return reply.redirect(`${here}/revoke`, 303)
      const problem =
        'The stores could not be saved: one is not yours, or the app was disconnected meanwhile.'
      return show(reply, connections, merchant, { choice: sent, problem })
    }),
  )
}
