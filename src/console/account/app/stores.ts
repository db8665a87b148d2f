import type { FastifyReply, FastifyRequest } from 'fastify'
import { choiceForm, isTool, readChoice, type StoreChoice, useTool } from '../../consent/store-choice.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { changeStoresPage } from './stores.view.ts'

interface Shown {
  choice?: StoreChoice
  problem?: string
}

/** Which stores an app may read, changed by the merchant who allowed it. */
export function accountStores(scope: PageScope, { connectedApps }: ConsoleDeps): void {
  const path = '/account/apps/:app_id/stores'

  function show(request: FastifyRequest, reply: FastifyReply, { choice, problem }: Shown = {}): FastifyReply {
    const { viewer, ownConnection: own, connections } = request
    const picked = choice ?? { picked: new Set(own.stores.map(({ id }) => id)), search: '' }
    const view = { viewer, own, connections, choice: picked, problem }
    return sendHtml(reply, changeStoresPage(view), problem === undefined ? 200 : 422)
  }

  scope.get(path, async (request, reply) => show(request, reply))

  scope.post(path, { schema: { body: choiceForm } }, async (request, reply) => {
    const { account, ownConnection, connections } = request
    const { stores } = connections
    const sent = readChoice(request.body, stores)
    if (isTool(sent)) return show(request, reply, { choice: useTool(sent, stores) })
    const { id } = ownConnection.app
    const here = `/account/apps/${id}`
    const picked = [...sent.picked]
    const changed =
      !sent.foreign &&
      picked.length > 0 &&
      (await connectedApps.changeStores(account, id, picked, fromOf(request)))
    if (changed) return reply.redirect(`${here}?saved=1`, 303)
    // No store is no access: the page for revoking says what ends.
    if (!sent.foreign && picked.length === 0) return reply.redirect(`${here}/revoke`, 303)
    const problem =
      'The stores could not be saved: one of them is not yours, or the app has been disconnected.'
    return show(request, reply, { choice: sent, problem })
  })
}
