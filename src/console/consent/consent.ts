import type { FastifyReply, FastifyRequest } from 'fastify'
import { consentPath } from '../../oauth/provider.ts'
import type { PagePlugin } from '../page-scope.ts'
import { securityHeaders } from '../security-headers.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { consentPage } from './consent.view.ts'
import { requireOpenRequest } from './open-request.ts'
import { choiceForm, isTool, readChoice, type StoreChoice, useTool } from './store-choice.ts'

const notYours =
  'One of the stores you picked is not yours, or no longer yours. Check the list and try again.'

/** The page behind /auth/v2/authorize: which app asks, for what, for which stores; Allow or Deny. */
export const consentPages: PagePlugin = async (scope, deps) => {
  const { consents } = deps
  scope.decorateRequest('openRequest')
  scope.addHook('preHandler', requireOpenRequest(deps))

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { choice, problem }: { choice?: StoreChoice; problem?: string } = {},
  ): Promise<FastifyReply> {
    const { pending, app, account, viewer } = request.openRequest
    const question = await consents.ask(account, app)
    // Browsers apply the policy to a form's redirects too, and this form leads back to the app.
    reply.headers(securityHeaders([new URL(pending.redirect_uri).origin]))
    const view = {
      pending,
      app,
      question,
      problem,
      viewer,
      choice: choice ?? { picked: new Set(question.allowed.keys()), search: '' },
    }
    return sendHtml(reply, consentPage(view), problem === undefined ? 200 : 422)
  }

  /** After another decision, the page itself knows where to go on: back to the app with it, or nowhere. */
  const goOn = ({ openRequest: { pending } }: FastifyRequest, reply: FastifyReply, outcome: string) =>
    reply.redirect(outcome === 'recorded' ? pending.resume : consentPath(pending.uid), 303)

  async function deny(request: FastifyRequest, reply: FastifyReply) {
    const { pending, app, account } = request.openRequest
    return goOn(request, reply, await consents.deny(pending.uid, account, app, fromOf(request)))
  }

  async function allow(
    request: FastifyRequest,
    reply: FastifyReply,
    choice: StoreChoice & { foreign: boolean },
  ) {
    const { pending, app, account } = request.openRequest
    if (choice.foreign) return show(request, reply, { choice, problem: notYours })
    if (choice.picked.size === 0) {
      return show(request, reply, { choice, problem: 'Pick at least one store, or press Deny.' })
    }
    const picked = [...choice.picked]
    const outcome = await consents.allow(pending.uid, account, app, pending.scope, picked, fromOf(request))
    if (outcome === 'not_owner') return show(request, reply, { choice, problem: notYours })
    return goOn(request, reply, outcome)
  }

  scope.get('/consent/:uid', async (request, reply) => show(request, reply))

  scope.post('/consent/:uid', { schema: { body: choiceForm } }, async (request, reply) => {
    const { app, account } = request.openRequest
    const { stores } = await consents.ask(account, app)
    const sent = readChoice(request.body, stores)
    if (isTool(sent)) return show(request, reply, { choice: useTool(sent, stores) })
    if (sent.decision === 'allow') return allow(request, reply, sent)
    if (sent.decision === 'deny') return deny(request, reply)
    return show(request, reply, { choice: sent, problem: 'Press Allow or Deny.' })
  })
}
