import type { FastifyInstance } from 'fastify'
import { revokePage } from './revoke.view.ts'
import { type AsMerchant, sendNotConnected } from '../../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'

/** The end of an app's access: a page that says what will stop, and then the end itself. */
export function accountRevoke(
  app: FastifyInstance,
  { connectedApps }: ConsoleDeps,
  { asMerchant, asConnected }: AsMerchant,
): void {
  const path = '/account/apps/:app_id/revoke'

  app.get(path, async (request, reply) =>
    asConnected(request, reply, async ({ own, linked }, merchant) => {
      // What the operator connected is not the merchant's to end.
      if (!own) return sendNotConnected(reply, merchant)
      return sendHtml(reply, revokePage({ viewer: merchant.viewer, own, linked }))
    }),
  )

  app.post(path, { preHandler: app.csrfProtection }, async (request, reply) =>
    asMerchant(request, reply, async merchant => {
      const { app_id } = request.params as { app_id: string }
      const revoked = await connectedApps.revoke(merchant.account, app_id, fromOf(request))
      return revoked ? reply.redirect('/account/apps?revoked=1', 303) : sendNotConnected(reply, merchant)
    }),
  )
}
