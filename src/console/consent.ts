import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors, type InteractionResults } from 'oidc-provider'
import { parseInt64 } from '../lib/int64.ts'
import { consentPath } from '../oauth/provider.ts'
import type { Account, App } from '../storage/port.ts'
import { consentPage, wrongAccountPage } from './consent.view.ts'
import type { ConsoleDeps } from './index.ts'
import { messagePage } from './layout.ts'
import { securityHeaders } from './security-headers.ts'
import { sendHtml } from './send-html.ts'
import { viewerOf } from './viewer.ts'
import { fromOf } from './signed-in.ts'

/** An authorization request that waits for the merchant's decision. */
interface Pending {
  uid: string
  app: App
  scope: string
  redirect_uri: string
}

/** The page behind /auth/v2/authorize: who asks, for what, for which stores; Allow or Deny. */
export function consent(app: FastifyInstance, deps: ConsoleDeps): void {
  const { providers, signedIn, consents } = deps

  /** Null when it expired, was answered already, or began in another browser. */
  async function pendingOf(request: FastifyRequest, reply: FastifyReply): Promise<Pending | null> {
    const provider = await providers.current()
    try {
      const { uid, params } = await provider.interactionDetails(request.raw, reply.raw)
      const { client_id, scope, redirect_uri } = params as Record<
        'client_id' | 'scope' | 'redirect_uri',
        string
      >
      const asking = await consents.asking(client_id)
      if (uid !== (request.params as { uid: string }).uid || !asking) return null
      return { uid, app: asking, scope, redirect_uri }
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null
      throw error
    }
  }

  async function show(reply: FastifyReply, pending: Pending, account: Account, problem?: string) {
    const question = await consents.ask(account, pending.app)
    reply.headers(securityHeaders([new URL(pending.redirect_uri).origin]))
    const viewer = viewerOf(reply, account)
    return sendHtml(reply, consentPage({ ...pending, question, viewer, problem }), problem ? 422 : 200)
  }

  /** The pending request and the merchant who decides on it, or the page that says what is in the way. */
  async function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (pending: Pending, account: Account) => Promise<unknown>,
  ): Promise<unknown> {
    const pending = await pendingOf(request, reply)
    if (!pending) {
      const advice = 'It expired or was answered already. Go back to the app and start again.'
      return sendHtml(reply, messagePage('This request is no longer open', advice), 400)
    }
    const account = await signedIn.account(request)
    if (!account) return reply.redirect(`/login?next=${encodeURIComponent(consentPath(pending.uid))}`, 303)
    if (account.role !== 'merchant') {
      return sendHtml(reply, wrongAccountPage(viewerOf(reply, account)), 403)
    }
    return then(pending, account)
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, result: InteractionResults) {
    const provider = await providers.current()
    const options = { mergeWithLastSubmission: false }
    const returnTo = await provider.interactionResult(request.raw, reply.raw, result, options)
    return reply.redirect(returnTo, 303)
  }

  app.get('/consent/:uid', async (request, reply) =>
    decide(request, reply, (pending, account) => show(reply, pending, account)),
  )

  app.post('/consent/:uid', { preHandler: app.csrfProtection }, async (request, reply) =>
    decide(request, reply, async (pending, account) => {
      const form = (request.body ?? {}) as { decision?: unknown; store?: unknown }
      if (form.decision !== 'allow') {
        await consents.deny(account, pending.app, fromOf(request))
        return finish(request, reply, {
          error: 'access_denied',
          error_description: 'the merchant denied access',
        })
      }
      const store_ids = [form.store ?? []].flat().map(value => parseInt64(String(value)))
      if (store_ids.length === 0) return show(reply, pending, account, 'Pick at least one store, or deny.')
      if (store_ids.includes(null)) return show(reply, pending, account, 'One of the stores is not yours.')
      const grantId = await consents.allow(
        account,
        pending.app,
        pending.scope,
        store_ids as bigint[],
        fromOf(request),
      )
      if (grantId === null) return show(reply, pending, account, 'One of the stores is not yours.')
      return finish(request, reply, {
        login: { accountId: account.id, remember: false },
        consent: { grantId },
      })
    }),
  )
}
