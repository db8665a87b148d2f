import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../storage/port.ts'
import { connectedAppsPage, revokePage } from './account-apps.view.ts'
import type { ConsoleDeps } from './index.ts'
import { messagePage } from './layout.ts'
import { sendHtml } from './send-html.ts'
import { viewerOf } from './viewer.ts'
import { fromOf } from './signed-in.ts'

/** The merchant's connected apps: which, since when, for which stores; and the way to end it. */
export function accountApps(app: FastifyInstance, { connectedApps, signedIn }: ConsoleDeps): void {
  /** Merchants only; others are sent to sign in, or told that this is not theirs. */
  async function asMerchant(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (account: Account) => Promise<unknown>,
  ): Promise<unknown> {
    const account = await signedIn.account(request)
    if (!account) return reply.redirect('/login', 303)
    if (account.role === 'merchant') return then(account)
    const advice = `You are signed in as ${account.email}, which is a ${account.role} account without stores.`
    return sendHtml(
      reply,
      messagePage('This page is for merchants', advice, { viewer: viewerOf(reply, account) }),
      403,
    )
  }

  const appIdOf = (request: FastifyRequest): string => (request.params as { app_id: string }).app_id

  function sendNotConnected(reply: FastifyReply, account: Account): FastifyReply {
    const advice = 'It was revoked already, or never connected to your stores.'
    const viewer = viewerOf(reply, account)
    const action = { href: '/account/apps', label: 'Connected apps' }
    return sendHtml(reply, messagePage('This app is not connected', advice, { viewer, action }), 404)
  }

  app.get('/account/apps', async (request, reply) =>
    asMerchant(request, reply, async account => {
      const apps = await connectedApps.list(account)
      return sendHtml(reply, connectedAppsPage({ viewer: viewerOf(reply, account), apps }))
    }),
  )

  app.get('/account/apps/:app_id/revoke', async (request, reply) =>
    asMerchant(request, reply, async account => {
      const connected = await connectedApps.find(account, appIdOf(request))
      if (!connected) return sendNotConnected(reply, account)
      return sendHtml(reply, revokePage({ viewer: viewerOf(reply, account), connected }))
    }),
  )

  app.post('/account/apps/:app_id/revoke', { preHandler: app.csrfProtection }, async (request, reply) =>
    asMerchant(request, reply, async account => {
      const revoked = await connectedApps.revoke(account, appIdOf(request), fromOf(request))
      return revoked ? reply.redirect('/account/apps', 303) : sendNotConnected(reply, account)
    }),
  )
}
