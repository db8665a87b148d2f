import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppConnections } from '../../domain/apps/connected-apps.ts'
import type { Account } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage, type Viewer } from '../layout.ts'
import { loginAddress } from './login.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { viewerOf } from '../viewer.ts'

export interface Merchant {
  account: Account
  viewer: Viewer
}

type Then<Subject extends unknown[]> = (...subject: Subject) => Promise<unknown>

export type AsMerchant = ReturnType<typeof createAsMerchant>

/** Who may open the merchant's pages, asked anew at every request. */
export function createAsMerchant({
  signedIn,
  connectedApps,
}: Pick<ConsoleDeps, 'signedIn' | 'connectedApps'>) {
  /** Merchants only; others are sent to sign in, or told whose page it is. */
  async function asMerchant(request: FastifyRequest, reply: FastifyReply, then: Then<[Merchant]>) {
    const account = await signedIn.account(request)
    if (!account) return reply.redirect(loginAddress(request.url), 303)
    const viewer = viewerOf(reply, account)
    if (account.role === 'merchant') return then({ account, viewer })
    const advice = `You are signed in as ${account.email}, which is a ${account.role} account without stores.`
    const [action] = sections[account.role]
    return sendHtml(reply, messagePage('This page is for merchants', advice, { viewer, action }), 403)
  }

  /** Another merchant's app is as unknown as one that does not exist. */
  async function asConnected(
    request: FastifyRequest,
    reply: FastifyReply,
    then: Then<[AppConnections, Merchant]>,
  ) {
    return asMerchant(request, reply, async merchant => {
      const { app_id } = request.params as { app_id: string }
      const connections = await connectedApps.find(merchant.account, app_id)
      return connections ? then(connections, merchant) : sendNotConnected(reply, merchant)
    })
  }

  return { asMerchant, asConnected }
}

export function sendNotConnected(reply: FastifyReply, { viewer }: Merchant): FastifyReply {
  const advice = 'It was revoked already, or never connected to your stores.'
  const action = { href: '/account/apps', label: 'Connected apps' }
  return sendHtml(reply, messagePage('This app is not connected', advice, { viewer, action }), 404)
}
