import type { FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { AppSecret } from '../../../storage/port/index.ts'
import { form, text } from '../../fields.ts'
import { messagePage } from '../../layout.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { retirePage, rotatePage, secretPage, sentAlreadyPage } from './secrets.view.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The app's secrets that work, newest first. Set on these pages alone. */
    secrets: AppSecret[]
    /** The one that the address names, when the app has another one. */
    oldSecret: AppSecret
  }
}

/** Changing an app's secret without downtime: create a new one, start using it, retire the old one. */
export const secretPages: PagePlugin = async (scope, deps) => {
  const { storage, apps, singleUseForms } = deps
  scope.decorateRequest('secrets')
  scope.addHook('preHandler', async (request, reply) => {
    const { ownApp } = request
    if (ownApp.public) {
      const advice = 'It is public and uses PKCE instead.'
      return sendHtml(reply, messagePage('This app has no secret', advice, backTo(request)), 404)
    }
    request.secrets = await storage.apps.secrets(ownApp.id)
  })

  const rotatePath = '/developer/apps/:app_id/rotate'
  scope.get(rotatePath, async ({ viewer, ownApp, secrets }, reply) =>
    sendHtml(reply, rotatePage({ viewer, app: ownApp, secrets })),
  )

  scope.post(rotatePath, { schema: { body: form({ after: text }) } }, async (request, reply) => {
    const { account, viewer, ownApp, secrets } = request
    const { _csrf, after } = request.body
    // The form says which secret it follows: sent late, from a second tab, it would remove one that is in use.
    const current = after === (secrets[0]?.id ?? '')
    const by = byAccount(account, fromOf(request))
    const client_secret = current
      ? await singleUseForms.use(_csrf, () => apps.rotateSecret(ownApp.id, by))
      : null
    if (client_secret === null) {
      return sendHtml(reply, sentAlreadyPage(viewer, `/developer/apps/${ownApp.id}`), 409)
    }
    return sendHtml(reply, secretPage({ viewer, app: ownApp, client_secret, what: 'rotated' }))
  })

  await scope.register(retirePages, deps)
}

const retirePages: PagePlugin = async (scope, { apps }) => {
  scope.decorateRequest('oldSecret')
  scope.addHook<{ Params: { secret_id: string } }>('preHandler', async (request, reply) => {
    const { secrets, params } = request
    const secret = secrets.find(({ id }) => id === params.secret_id)
    if (secret && secrets.length > 1) {
      request.oldSecret = secret
      return
    }
    const [title, advice] = secret
      ? ['This is the app’s only secret', 'Create a new one first, start using it, then retire this one.']
      : ['Secret not found', 'It has already been retired.']
    return sendHtml(reply, messagePage(title, advice, backTo(request)), secret ? 409 : 404)
  })

  const retirePath = '/developer/apps/:app_id/secrets/:secret_id/retire'
  scope.get(retirePath, async ({ viewer, ownApp, oldSecret }, reply) =>
    sendHtml(reply, retirePage({ viewer, app: ownApp, secret: oldSecret })),
  )

  scope.post(retirePath, async (request, reply) => {
    const { account, ownApp, oldSecret } = request
    const retired = await apps.retireSecret(ownApp.id, oldSecret.id, byAccount(account, fromOf(request)))
    // Another tab may have retired the other secret meanwhile; this one is then the last, and stays.
    return reply.redirect(`/developer/apps/${ownApp.id}${retired ? '?done=retired' : ''}`, 303)
  })
}

const backTo = ({ viewer, ownApp }: FastifyRequest) => ({
  viewer,
  action: { href: `/developer/apps/${ownApp.id}`, label: `Back to ${ownApp.name}` },
})
