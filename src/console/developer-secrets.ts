import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App, AppSecret } from '../storage/port.ts'
import type { AsDeveloper } from './as-developer.ts'
import { retirePage, rotatePage, secretPage, sentAlreadyPage } from './developer-secrets.view.ts'
import type { ConsoleDeps } from './index.ts'
import { messagePage } from './layout.ts'
import type { Once } from './once.ts'
import { sendHtml } from './send-html.ts'

interface SecretDeps extends Pick<ConsoleDeps, 'storage' | 'apps'>, AsDeveloper {
  once: Once
}

/** Changing an app's secret without a pause: make a new one, take it into use, retire the old one. */
export function developerSecrets(app: FastifyInstance, { storage, apps, asOwner, once }: SecretDeps): void {
  const protectedForm = { preHandler: app.csrfProtection }

  async function withSecrets(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (mine: App, secrets: AppSecret[]) => Promise<unknown>,
  ): Promise<unknown> {
    return asOwner(request, reply, async mine => {
      if (!mine.public) return then(mine, await storage.apps.secrets(mine.id))
      return sendHtml(
        reply,
        messagePage('This app has no secret', 'It is public and uses PKCE instead.'),
        404,
      )
    })
  }

  app.get('/developer/apps/:app_id/rotate', async (request, reply) =>
    withSecrets(request, reply, async (mine, secrets) =>
      sendHtml(reply, rotatePage({ app: mine, secrets, csrf: reply.generateCsrf() })),
    ),
  )

  app.post('/developer/apps/:app_id/rotate', protectedForm, async (request, reply) =>
    withSecrets(request, reply, async (mine, [newest]) => {
      // The form says which secret it follows: sent late, from a second tab, it would push out one that is in use.
      const { after } = (request.body ?? {}) as { after?: unknown }
      const current = after === (newest?.id ?? '')
      const client_secret = current ? await once(request, () => apps.rotateSecret(mine.id)) : null
      if (client_secret === null) return sendHtml(reply, sentAlreadyPage(`/developer/apps/${mine.id}`), 409)
      return sendHtml(reply, secretPage({ app: mine, client_secret, what: 'rotated' }))
    }),
  )

  /** The secret that the address names, when there is another that the app can go on with. */
  async function withOldSecret(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (mine: App, secret: AppSecret) => Promise<unknown>,
  ): Promise<unknown> {
    return withSecrets(request, reply, async (mine, secrets) => {
      const { secret_id } = request.params as { secret_id: string }
      const secret = secrets.find(({ id }) => id === secret_id)
      if (secret && secrets.length > 1) return then(mine, secret)
      const [title, advice] = secret
        ? ['This is the app’s only secret', 'Make a new one first, take it into use, then retire this one.']
        : ['There is no such secret', 'It was retired already.']
      return sendHtml(reply, messagePage(title, advice), secret ? 409 : 404)
    })
  }

  app.get('/developer/apps/:app_id/secrets/:secret_id/retire', async (request, reply) =>
    withOldSecret(request, reply, async (mine, secret) =>
      sendHtml(reply, retirePage({ app: mine, secret, csrf: reply.generateCsrf() })),
    ),
  )

  app.post('/developer/apps/:app_id/secrets/:secret_id/retire', protectedForm, async (request, reply) =>
    withOldSecret(request, reply, async (mine, secret) => {
      await storage.apps.removeSecret(mine.id, secret.id)
      return reply.redirect(`/developer/apps/${mine.id}`, 303)
    }),
  )
}
