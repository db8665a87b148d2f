import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { matches } from '../../domain/apps/redirect-uri.ts'
import { browserCookie } from '../../oauth/browser-binding.ts'
import { consentPath } from '../../oauth/provider.ts'
import { expiredAddress, findPendingRequest, type PendingRequest } from '../../oauth/pending-request.ts'
import type { Account, App } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import type { Viewer } from '../layout.ts'
import { sendHtml } from '../send-html.ts'
import { loginAddress } from '../sign-in/next.ts'
import { viewerOf } from '../viewer.ts'
import { appOffPage, decidedPage, expiredPage, notOpenPage, wrongAccountPage } from './closed.view.ts'

/** An authorization request that the merchant can decide on, now and in this browser. */
interface OpenRequest {
  pending: PendingRequest
  app: App
  account: Account
  viewer: Viewer
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the consent page alone. */
    openRequest: OpenRequest
  }
}

type ConsentRequest = FastifyRequest<{ Params: { uid: string } }>

/** Sets `request.openRequest`, or answers with the page that says why there is nothing to decide. */
export function requireOpenRequest(deps: ConsoleDeps) {
  const { storage, providers, signedIn, consents, issuer, secure } = deps

  async function pendingRequest(
    request: ConsentRequest,
    reply: FastifyReply,
  ): Promise<PendingRequest | null> {
    const provider = await providers.current()
    const { uid } = request.params
    const pending = await findPendingRequest(provider, uid, request.cookies[browserCookie(secure)])
    if (!pending || pending.expired) return pending
    // The provider has a cookie of its own for each request, and takes an answer with that one only.
    return (await namedByCookie(provider, request, reply)) === uid ? pending : null
  }

  /** The request was answered, was deleted after its time, or began in another browser. */
  async function sendClosed(request: ConsentRequest, reply: FastifyReply, account: Account | null) {
    const decided = account && (await consents.decided(request.params.uid, account))
    const viewer = account ? viewerOf(reply, account) : undefined
    return sendHtml(reply, decided ? decidedPage({ ...decided, viewer }) : notOpenPage(viewer), 400)
  }

  return async (request: ConsentRequest, reply: FastifyReply) => {
    const [pending, account] = await Promise.all([pendingRequest(request, reply), signedIn.account(request)])
    const app = pending && (await storage.apps.find(pending.client_id))
    if (!pending || !app) return sendClosed(request, reply, account)
    const viewer = account ? viewerOf(reply, account) : undefined
    if (app.disabled_at !== null) return sendHtml(reply, appOffPage(app, viewer), 403)
    // The developer may have removed the address since.
    if (!matches(pending.redirect_uri, app.redirect_uris)) return sendClosed(request, reply, account)
    if (pending.expired) {
      return sendHtml(reply, expiredPage(app, expiredAddress(pending, issuer), viewer), 400)
    }
    // The merchant has answered, but the browser stopped on its way back to the app.
    if (pending.decided) return reply.redirect(pending.resume, 303)
    const here = consentPath(pending.uid)
    if (!account || !viewer) return reply.redirect(loginAddress(here), 303)
    if (account.role !== 'merchant') return sendHtml(reply, wrongAccountPage({ app, viewer, here }), 403)
    request.openRequest = { pending, app, account, viewer }
  }
}

async function namedByCookie(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | null> {
  try {
    return (await provider.interactionDetails(request.raw, reply.raw)).uid
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null
    throw error
  }
}
