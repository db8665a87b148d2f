import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, App } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { wrongRolePage } from '../developer/apps.view.ts'
import { messagePage } from '../layout.ts'
import { loginAddress } from './login.ts'
import { sendHtml } from '../send-html.ts'
import { viewerOf } from '../viewer.ts'

type Then<Subject extends unknown[]> = (...subject: Subject) => Promise<unknown>

export type AsDeveloper = ReturnType<typeof createAsDeveloper>

/** Who may open the developer pages, asked anew at every request. */
export function createAsDeveloper({ storage, signedIn }: Pick<ConsoleDeps, 'storage' | 'signedIn'>) {
  /** Developers only; others are sent to sign in, or told whose page it is. */
  async function asDeveloper(request: FastifyRequest, reply: FastifyReply, then: Then<[Account]>) {
    const account = await signedIn.account(request)
    if (!account) return reply.redirect(loginAddress(request.url), 303)
    if (account.role === 'developer') return then(account)
    return sendHtml(reply, wrongRolePage(viewerOf(reply, account)), 403)
  }

  /** Another developer's app is as unknown as one that does not exist. */
  async function asOwner(request: FastifyRequest, reply: FastifyReply, then: Then<[App, Account]>) {
    return asDeveloper(request, reply, async account => {
      const { app_id } = request.params as { app_id: string }
      const found = await storage.apps.find(app_id)
      if (found?.owner_id === account.id) return then(found, account)
      const page = messagePage('There is no such app', 'None of your apps has this address.', {
        viewer: viewerOf(reply, account),
        action: { href: '/developer/apps', label: 'My apps' },
      })
      return sendHtml(reply, page, 404)
    })
  }

  return { asDeveloper, asOwner }
}
