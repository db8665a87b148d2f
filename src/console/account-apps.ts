import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowOnly } from '../http/route.ts'
import type { Account, ConnectedApp } from '../storage/port.ts'
import { connectedAppsPage, revokePage } from './account-apps.view.ts'
import type { ConsoleDeps } from './index.ts'
import { messagePage } from './layout.ts'
import { sendPage } from './send-page.ts'

/** The merchant's connected apps: which, since when, for which stores; and the way to end it. */
export function accountApps(app: FastifyInstance, { storage, signedIn, clock }: ConsoleDeps): void {
  const hidden = { schema: { hide: true } as never }

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
    return sendPage(reply, messagePage('This page is for merchants', advice), 403)
  }

  /** Another merchant's app is as unknown as one that does not exist. */
  async function asOwner(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (connected: ConnectedApp) => Promise<unknown>,
  ): Promise<unknown> {
    return asMerchant(request, reply, async account => {
      const { app_id } = request.params as { app_id: string }
      const connected = (await storage.authorizations.ofAccount(account.id)).find(
        one => one.app_id === app_id,
      )
      if (connected) return then(connected)
      const advice = 'It was revoked already, or never connected to your stores.'
      return sendPage(reply, messagePage('This app is not connected', advice), 404)
    })
  }

  app.get('/account/apps', hidden, async (request, reply) =>
    asMerchant(request, reply, async account => {
      const apps = await storage.authorizations.ofAccount(account.id)
      return sendPage(reply, connectedAppsPage({ account, apps, csrf: reply.generateCsrf() }))
    }),
  )

  app.get('/account/apps/:app_id/revoke', hidden, async (request, reply) =>
    asOwner(request, reply, async connected =>
      sendPage(reply, revokePage({ connected, csrf: reply.generateCsrf() })),
    ),
  )

  app.post(
    '/account/apps/:app_id/revoke',
    { ...hidden, preHandler: app.csrfProtection },
    async (request, reply) =>
      asOwner(request, reply, async ({ authorization_id }) => {
        await storage.authorizations.revoke(authorization_id, clock.now())
        return reply.redirect('/account/apps', 303)
      }),
  )

  allowOnly(app, '/account/apps', 'GET', 'HEAD')
  allowOnly(app, '/account/apps/:app_id/revoke', 'GET', 'HEAD', 'POST')
}
