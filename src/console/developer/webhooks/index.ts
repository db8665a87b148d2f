import type { WebhookEndpoint } from '../../../storage/port/index.ts'
import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import { fields, form, text, texts } from '../../fields.ts'
import { messagePage } from '../../layout.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sentAlreadyPage } from '../app/secrets.view.ts'
import { endpointPages } from './endpoint.ts'
import { webhookSecretPage } from './endpoint.view.ts'
import { webhooksPage, webhooksPath } from './webhooks.view.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The endpoint of the developer's app that the address names. Set on these pages alone. */
    ownEndpoint: WebhookEndpoint
  }
}

/** The webhook endpoints of one app. */
export const webhookPages: PagePlugin = async (scope, deps) => {
  const { webhooks, singleUseForms } = deps
  const path = '/developer/apps/:app_id/webhooks'
  const empty = { url: '', events: [] }
  const stateOf = async (app_id: string) => {
    const [endpoints, paused] = await Promise.all([webhooks.listWithCalls(app_id), webhooks.isPaused(app_id)])
    return { endpoints, paused, allowsOthers: webhooks.allowsOtherAddresses }
  }

  const schema = { querystring: fields({ done: text }) }
  scope.get(path, { schema }, async ({ ownApp: app, viewer, query }, reply) => {
    const view = { viewer, app, ...(await stateOf(app.id)), form: empty }
    return sendHtml(reply, webhooksPage({ ...view, isDeleted: query.done === 'deleted' }))
  })

  const body = form({ url: text, events: texts })
  scope.post(path, { schema: { body } }, async (request, reply) => {
    const { account, viewer, ownApp: app } = request
    const { _csrf, url, events } = request.body
    try {
      if (events.length === 0) throw new InputError('events', 'pick at least one')
      const made = await singleUseForms.use(_csrf, () =>
        webhooks.create({ app_id: app.id, url, events }, byAccount(account, fromOf(request))),
      )
      if (!made) return sendHtml(reply, sentAlreadyPage(viewer, webhooksPath(app)), 409)
      return sendHtml(reply, webhookSecretPage({ viewer, app, endpoint: made, secret: made.secret }), 201)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const view = { viewer, app, ...(await stateOf(app.id)), form: { url, events }, problem: error }
      return sendHtml(reply, webhooksPage({ ...view, isDeleted: false }), 422)
    }
  })

  await scope.register(async inner => {
    inner.decorateRequest('ownEndpoint')
    inner.addHook<{ Params: { endpoint_id: string } }>('preHandler', async (request, reply) => {
      const { ownApp: app, viewer, params } = request
      const endpoint = (await webhooks.list(app.id)).find(({ id }) => id === params.endpoint_id)
      if (endpoint) {
        request.ownEndpoint = endpoint
        return
      }
      const action = { href: webhooksPath(app), label: 'Webhooks' }
      const page = messagePage('Endpoint not found', 'It may have been deleted.', { viewer, action })
      return sendHtml(reply, page, 404)
    })
    await inner.register(endpointPages, deps)
  })
}
