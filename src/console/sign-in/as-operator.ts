import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage } from '../layout.ts'
import { loginAddress } from './login.ts'
import type { Action } from '../parts/content.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { viewerOf } from '../viewer.ts'

type Then = (account: Account) => Promise<unknown>

export type AsOperator = ReturnType<typeof createAsOperator>

/** Who may open the operator's pages, asked anew at every request. */
export const createAsOperator =
  ({ signedIn }: Pick<ConsoleDeps, 'signedIn'>) =>
  /** Operators only; others are sent to sign in, or told whose page it is. */
  async (request: FastifyRequest, reply: FastifyReply, then: Then): Promise<unknown> => {
    const account = await signedIn.account(request)
    if (!account) return reply.redirect(loginAddress(request.url), 303)
    if (account.role === 'operator') return then(account)
    const advice = `You are signed in as ${account.email}, which is a ${account.role} account.`
    const [action] = sections[account.role]
    const page = messagePage('This page is for operators', advice, {
      viewer: viewerOf(reply, account),
      action,
    })
    return sendHtml(reply, page, 403)
  }

/** What an operator looks for and is not there. */
export function sendMissing(
  reply: FastifyReply,
  account: Account,
  what: 'account' | 'app' | 'store',
  action: Action,
): FastifyReply {
  const advice = `No ${what} has this address. It may have been mistyped.`
  const page = messagePage(`There is no such ${what}`, advice, { viewer: viewerOf(reply, account), action })
  return sendHtml(reply, page, 404)
}
