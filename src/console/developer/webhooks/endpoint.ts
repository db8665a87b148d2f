import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import { fields, form, text } from '../../fields.ts'
import { messagePage } from '../../layout.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sentAlreadyPage } from '../app/secrets.view.ts'
import { deliveryPage } from './delivery.view.ts'
import { deletePage, endpointPage, endpointPath, isDone, webhookSecretPage } from './endpoint.view.ts'

/** Deliveries on the page of an endpoint. */
const shownDeliveries = 50

/** The pages of one endpoint, and of its deliveries. */
export const endpointPages: PagePlugin = async (scope, { webhooks, singleUseForms }) => {
  const path = '/developer/apps/:app_id/webhooks/:endpoint_id'

  const schema = { querystring: fields({ done: text }) }
  scope.get(path, { schema }, async ({ ownApp: app, ownEndpoint: endpoint, viewer, query }, reply) => {
    const [deliveries, called] = await Promise.all([
      webhooks.deliveries(endpoint.id, shownDeliveries),
      webhooks.wasCalled(endpoint.id),
    ])
    const done = isDone(query.done) ? query.done : null
    return sendHtml(reply, endpointPage({ viewer, app, endpoint, deliveries, called, done }))
  })

  // A person whose session had ended when they pressed a button comes back here after signing in.
  for (const word of ['test', 'rotate', 'disable', 'enable', 'deliveries/:delivery_id/resend']) {
    scope.get(`${path}/${word}`, async ({ ownApp, ownEndpoint }, reply) =>
      reply.redirect(endpointPath(ownApp, ownEndpoint), 303),
    )
  }

  scope.post(`${path}/test`, async ({ ownApp, ownEndpoint, viewer }, reply) => {
    try {
      await webhooks.test(ownEndpoint.id)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const action = { href: endpointPath(ownApp, ownEndpoint), label: 'Back to the endpoint' }
      return sendHtml(reply, messagePage('Nothing was sent', `${error.message}.`, { viewer, action }), 409)
    }
    return reply.redirect(`${endpointPath(ownApp, ownEndpoint)}?done=tested`, 303)
  })

  scope.post(`${path}/rotate`, { schema: { body: form({}) } }, async (request, reply) => {
    const { account, viewer, ownApp: app, ownEndpoint: endpoint } = request
    const { _csrf } = request.body
    const by = byAccount(account, fromOf(request))
    const secret = await singleUseForms.use(_csrf, () => webhooks.rotateSecret(endpoint.id, by))
    if (secret === null) return sendHtml(reply, sentAlreadyPage(viewer, endpointPath(app, endpoint)), 409)
    return sendHtml(reply, webhookSecretPage({ viewer, app, endpoint, secret }))
  })

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    scope.post(`${path}/${word}`, async (request, reply) => {
      const { account, ownApp, ownEndpoint } = request
      await webhooks.setDisabled(ownEndpoint.id, disabled, byAccount(account, fromOf(request)))
      return reply.redirect(`${endpointPath(ownApp, ownEndpoint)}?done=${word}d`, 303)
    })
  }

  scope.get(`${path}/delete`, async ({ ownApp: app, ownEndpoint: endpoint, viewer }, reply) =>
    sendHtml(reply, deletePage({ viewer, app, endpoint })),
  )

  scope.post(`${path}/delete`, async (request, reply) => {
    const { account, ownApp, ownEndpoint } = request
    await webhooks.remove(ownEndpoint.id, byAccount(account, fromOf(request)))
    return reply.redirect(`/developer/apps/${ownApp.id}/webhooks?done=deleted`, 303)
  })

  const one = { params: fields({ app_id: text, endpoint_id: text, delivery_id: text }) }
  scope.get(`${path}/deliveries/:delivery_id`, { schema: one }, async (request, reply) => {
    const { ownApp: app, ownEndpoint: endpoint, viewer, params } = request
    const delivery = await webhooks.delivery(endpoint.id, params.delivery_id)
    if (delivery) return sendHtml(reply, deliveryPage({ viewer, app, endpoint, delivery }))
    const action = { href: endpointPath(app, endpoint), label: 'Back to the endpoint' }
    const advice = 'The log keeps the last 200 deliveries of an endpoint.'
    return sendHtml(reply, messagePage('Delivery not found', advice, { viewer, action }), 404)
  })

  scope.post(`${path}/deliveries/:delivery_id/resend`, { schema: one }, async (request, reply) => {
    const { ownApp, ownEndpoint, viewer, params } = request
    try {
      const found = await webhooks.delivery(ownEndpoint.id, params.delivery_id)
      await webhooks.resend(found?.id ?? 'none')
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const action = { href: endpointPath(ownApp, ownEndpoint), label: 'Back to the endpoint' }
      return sendHtml(reply, messagePage('Nothing was sent', `${error.message}.`, { viewer, action }), 409)
    }
    return reply.redirect(`${endpointPath(ownApp, ownEndpoint)}?done=resent`, 303)
  })
}
