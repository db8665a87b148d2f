import type { FastifyReply, FastifyRequest } from 'fastify'
import { consentPath } from '../../oauth/provider.ts'
import { fields, text } from '../fields.ts'
import type { PagePlugin } from '../page-scope.ts'
import { withQuery } from '../parts/with-query.ts'
import { securityHeaders } from '../security-headers.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { consentPage } from './consent.view.ts'
import { requireOpenRequest } from './open-request.ts'
import { choiceForm, isTool, readChoice, type StoreChoice, useTool } from './store-choice.ts'

const problems = {
  foreign: 'One of the stores you picked is not yours, or no longer yours. Check the list and try again.',
  none: 'Pick at least one store, or press Deny.',
  decision: 'Press Allow or Deny.',
  scopes: 'The app has changed what it asks for. Check the list, then press Allow or Deny.',
}
type Problem = keyof typeof problems

/** The address of a page with more stores picked would be too long. */
const mostInAddress = 100

const choiceQuery = fields({ problem: text, shown: text, picked: text, store_search: text })

/** The page behind /auth/v2/authorize: which app asks, for what, for which stores; Allow or Deny. */
export const consentPages: PagePlugin = async (scope, deps) => {
  const { consents } = deps
  scope.decorateRequest('openRequest')
  scope.addHook('preHandler', requireOpenRequest(deps))

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { choice, problem }: Shown = {},
  ): Promise<FastifyReply> {
    const { pending, app, account, viewer } = request.openRequest
    const question = await consents.ask(account, app, pending)
    // Browsers apply the policy to a form's redirects too, and this form leads back to the app.
    reply.headers(securityHeaders([formTarget(pending.redirect_uri)]))
    const view = {
      pending,
      app,
      question,
      problem: problem && problems[problem],
      viewer,
      choice: choice ?? { picked: new Set(question.allowed.keys()), search: '' },
    }
    return sendHtml(reply, consentPage(view), problem === undefined ? 200 : 422)
  }

  /** The page again without a decision: at an address of its own, so that Back does not send the form again. */
  async function showAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    choice: StoreChoice,
    problem?: Problem,
  ) {
    const { picked, search } = choice
    if (picked.size > mostInAddress) return show(request, reply, { choice, ...(problem && { problem }) })
    const query = {
      problem: problem ?? null,
      shown: '1',
      picked: [...picked].join('.'),
      store_search: search,
    }
    return reply.redirect(withQuery(consentPath(request.openRequest.pending.uid), query), 303)
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
    if (choice.foreign) return showAgain(request, reply, choice, 'foreign')
    if (choice.picked.size === 0) return showAgain(request, reply, choice, 'none')
    const picked = [...choice.picked]
    const outcome = await consents.allow(pending.uid, account, app, pending, picked, fromOf(request))
    if (outcome === 'not_owner') return showAgain(request, reply, choice, 'foreign')
    return goOn(request, reply, outcome)
  }

  scope.get('/consent/:uid', { schema: { querystring: choiceQuery } }, async (request, reply) => {
    const { problem, shown, picked, store_search } = request.query
    const { pending, app, account } = request.openRequest
    if (shown !== '1') return show(request, reply)
    const { stores } = await consents.ask(account, app, pending)
    const sent = { decision: '', store: picked.split('.'), store_search, _csrf: '' }
    return show(request, reply, {
      choice: readChoice(sent, stores),
      ...(isProblem(problem) && { problem }),
    })
  })

  scope.post('/consent/:uid', { schema: { body: choiceForm } }, async (request, reply) => {
    const { pending, app, account } = request.openRequest
    const { stores, scopes } = await consents.ask(account, app, pending)
    const sent = readChoice(request.body, stores)
    if (isTool(sent)) return showAgain(request, reply, useTool(sent, stores))
    // A scope that the app lost and got again while the page was open was not on it.
    const isSame = request.body.scopes === '' || request.body.scopes === scopes.join(' ')
    if (sent.decision === 'allow' && !isSame) return showAgain(request, reply, sent, 'scopes')
    if (sent.decision === 'allow') return allow(request, reply, sent)
    if (sent.decision === 'deny') return deny(request, reply)
    return showAgain(request, reply, sent, 'decision')
  })
}

interface Shown {
  choice?: StoreChoice
  problem?: Problem
}

const isProblem = (name: string): name is Problem => Object.hasOwn(problems, name)

/** A policy cannot name every host: for an IPv6 address, or a name with an underscore, it permits the scheme instead. */
function formTarget(redirect_uri: string): string {
  const { origin, hostname, protocol } = new URL(redirect_uri)
  return /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(hostname) ? origin : protocol
}
