import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { matches } from '../../domain/apps/redirect-uri.ts'
import type Provider from 'oidc-provider'
import { errors, type InteractionResults } from 'oidc-provider'
import { browserCookie } from '../../oauth/browser-binding.ts'
import { consentPath } from '../../oauth/provider.ts'
import { expiredAddress, findPendingRequest, type PendingRequest } from '../../oauth/pending-request.ts'
import type { Account, App } from '../../storage/port/index.ts'
import { appOffPage, decidedPage, expiredPage, notOpenPage, wrongAccountPage } from './closed.view.ts'
import { consentPage } from './consent.view.ts'
import type { ConsoleDeps } from '../deps.ts'
import type { Viewer } from '../layout.ts'
import { loginAddress } from '../sign-in/login.ts'
import { securityHeaders } from '../security-headers.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { isTool, readChoice, type StoreChoice, useTool } from './store-choice.ts'
import { viewerOf } from '../viewer.ts'

/** A request that a merchant can decide on, now and in this browser. */
interface Open {
  waiting: PendingRequest
  app: App
  account: Account
  viewer: Viewer
}

/** The page behind /auth/v2/authorize: who asks, for what, for which stores; Allow or Deny. */
export function consent(app: FastifyInstance, deps: ConsoleDeps): void {
  const { providers, signedIn, consents, apps, issuer, secure } = deps

  async function waitingFor(request: FastifyRequest, reply: FastifyReply): Promise<PendingRequest | null> {
    const provider = await providers.current()
    const { uid } = request.params as { uid: string }
    const waiting = await findPendingRequest(provider, uid, request.cookies[browserCookie(secure)])
    if (!waiting || waiting.expired) return waiting
    // The provider has a cookie of its own for each request, and takes an answer with that one only.
    return (await namedByCookie(provider, request, reply)) === uid ? waiting : null
  }

  /** Answers with the page that says what is in the way, or goes on with what is open. */
  async function whenOpen(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (open: Open) => Promise<unknown>,
  ): Promise<unknown> {
    const [waiting, account] = await Promise.all([waitingFor(request, reply), signedIn.account(request)])
    const asking = waiting && (await apps.find(waiting.client_id))
    if (!waiting || !asking) return sendOver(request, reply, account)
    const viewer = account ? viewerOf(reply, account) : undefined
    if (asking.disabled_at !== null) return sendHtml(reply, appOffPage(asking, viewer), 403)
    // The developer may have taken the address back since.
    if (!matches(waiting.redirect_uri, asking.redirect_uris)) return sendOver(request, reply, account)
    if (waiting.expired) {
      return sendHtml(reply, expiredPage(asking, expiredAddress(waiting, issuer), viewer), 400)
    }
    // Answered, but the browser was stopped on its way: it goes on.
    if (waiting.resume !== null) return reply.redirect(waiting.resume, 303)
    const here = consentPath(waiting.uid)
    if (!account || !viewer) return reply.redirect(loginAddress(here), 303)
    if (account.role !== 'merchant') {
      return sendHtml(reply, wrongAccountPage({ app: asking, viewer, here }), 403)
    }
    return then({ waiting, app: asking, account, viewer })
  }

  /** It was answered, or swept away, or began in another browser. */
  async function sendOver(request: FastifyRequest, reply: FastifyReply, account: Account | null) {
    const { uid } = request.params as { uid: string }
    const decided = account && (await consents.decided(uid, account))
    const viewer = account ? viewerOf(reply, account) : undefined
    return sendHtml(reply, decided ? decidedPage({ ...decided, viewer }) : notOpenPage(viewer), 400)
  }

  async function show(
    reply: FastifyReply,
    { waiting, app, account, viewer }: Open,
    { choice, problem }: { choice?: StoreChoice; problem?: string } = {},
  ): Promise<unknown> {
    const question = await consents.ask(account, app)
    // Browsers hold a form's redirects to the policy too, and this one leads back to the app.
    reply.headers(securityHeaders([new URL(waiting.redirect_uri).origin]))
    const view = {
      waiting,
      app,
      question,
      problem,
      viewer,
      choice: choice ?? { picked: new Set(question.allowed.keys()), search: '' },
    }
    return sendHtml(reply, consentPage(view), problem === undefined ? 200 : 422)
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, result: InteractionResults) {
    const provider = await providers.current()
    const options = { mergeWithLastSubmission: false }
    const returnTo = await provider.interactionResult(request.raw, reply.raw, result, options)
    return reply.redirect(returnTo, 303)
  }

  async function deny(request: FastifyRequest, reply: FastifyReply, { waiting, app, account }: Open) {
    await consents.deny(account, app, fromOf(request))
    await consents.remember(waiting.uid, account, app, 'deny')
    const error = { error: 'access_denied', error_description: 'the merchant denied access' }
    return finish(request, reply, error)
  }

  async function allow(
    request: FastifyRequest,
    reply: FastifyReply,
    open: Open,
    choice: StoreChoice & { foreign: boolean },
  ) {
    const { waiting, app, account } = open
    const notYours =
      'A store that was picked is not yours, or no longer. Look through the list and try again.'
    if (choice.foreign) return show(reply, open, { choice, problem: notYours })
    if (choice.picked.size === 0) {
      return show(reply, open, { choice, problem: 'Pick at least one store, or press Deny.' })
    }
    const grantId = await consents.allow(account, app, waiting.scope, [...choice.picked], fromOf(request))
    if (grantId === null) return show(reply, open, { choice, problem: notYours })
    await consents.remember(waiting.uid, account, app, 'allow')
    const login = { accountId: account.id, remember: false }
    return finish(request, reply, { login, consent: { grantId } })
  }

  app.get('/consent/:uid', async (request, reply) => whenOpen(request, reply, open => show(reply, open)))

  app.post('/consent/:uid', { preHandler: app.csrfProtection }, async (request, reply) =>
    whenOpen(request, reply, async open => {
      const { stores } = await consents.ask(open.account, open.app)
      const sent = readChoice(request.body, stores)
      if (isTool(sent)) return show(reply, open, { choice: useTool(sent, stores) })
      return sent.decision === 'allow' ? allow(request, reply, open, sent) : deny(request, reply, open)
    }),
  )
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
