import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { Account, Role } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage, type Page, type Viewer } from '../layout.ts'
import { roleWithArticle } from '../parts/format/role.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { viewerOf } from '../viewer.ts'
import { loginAddress } from './next.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in. Set in scopes with `requireRole` or `requireSignedIn` alone. */
    account: Account
    viewer: Viewer
  }
}

type Deps = Pick<ConsoleDeps, 'signedIn'>

/** Admits everyone who is signed in, read from the database at every request. Others get the sign-in page. */
export const requireSignedIn =
  ({ signedIn }: Deps) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const account = await signedIn.account(request)
    if (!account) return reply.redirect(loginAddress(request.url), 303)
    request.account = account
    request.viewer = viewerOf(reply, account)
    return undefined
  }

/** Admits accounts of one role; others get status 403. */
export const requireRole = (role: Role, deps: Deps): preHandlerAsyncHookHandler => {
  const check = requireSignedIn(deps)
  return async (request, reply) => {
    const refused = await check(request, reply)
    if (refused) return refused
    if (request.account.role !== role) return sendHtml(reply, wrongRolePage(role, request.viewer), 403)
  }
}

const wrongRolePage = (role: Role, viewer: Viewer): Page => {
  const { email, role: own } = viewer.account
  const [action] = sections[own]
  return messagePage(
    `This page is for ${role}s`,
    `You are signed in as ${email}, which is ${roleWithArticle[own]} account.`,
    { viewer, action },
  )
}
