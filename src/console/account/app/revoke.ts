import type { ConsoleDeps } from '../../deps.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sendNotConnected } from './not-connected.ts'
import { revokePage } from './revoke.view.ts'

/** Revoking an app's access, after a page that says what stops. */
export function accountRevoke(scope: PageScope, { connectedApps }: ConsoleDeps): void {
  const path = '/account/apps/:app_id/revoke'

  scope.get(path, async ({ viewer, ownConnection, connections }, reply) =>
    sendHtml(reply, revokePage({ viewer, own: ownConnection, connections })),
  )

  scope.post(path, async (request, reply) => {
    const { account, viewer, ownConnection } = request
    const { id } = ownConnection.app
    const revoked = await connectedApps.revoke(account, id, fromOf(request))
    return revoked ? reply.redirect(`/account/apps?revoked=${id}`, 303) : sendNotConnected(reply, viewer)
  })
}
