import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { Account, App, AppSecret } from '../../../storage/port/index.ts'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { retirePage, rotatePage, secretPage, sentAlreadyPage } from './secrets.view.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { messagePage } from '../../layout.ts'
import type { Once } from '../../once.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

interface SecretDeps extends Pick<ConsoleDeps, 'storage' | 'apps'>, AsDeveloper {
  once: Once
}

/** Changing an app's secret without a pause: make a new one, take it into use, retire the old one. */
export function developerSecrets(app: FastifyInstance, { storage, apps, asOwner, once }: SecretDeps): void {
  const protectedForm = { preHandler: app.csrfProtection }

  /** Whom a message is for, and the way on from it. */
  const backTo = (reply: FastifyReply, mine: App, account: Account) => ({
    viewer: viewerOf(reply, account),
    action: { href: `/developer/apps/${mine.id}`, label: `Back to ${mine.name}` },
  })

  async function withSecrets(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (mine: App, secrets: AppSecret[], account: Account) => Promise<unknown>,
  ): Promise<unknown> {
    return asOwner(request, reply, async (mine, account) => {
      if (!mine.public) return then(mine, await storage.apps.secrets(mine.id), account)
      const advice = 'It is public and uses PKCE instead.'
      return sendHtml(reply, messagePage('This app has no secret', advice, backTo(reply, mine, account)), 404)
    })
  }

  app.get('/developer/apps/:app_id/rotate', async (request, reply) =>
    withSecrets(request, reply, async (mine, secrets, account) =>
      sendHtml(reply, rotatePage({ viewer: viewerOf(reply, account), app: mine, secrets })),
    ),
  )

  app.post('/developer/apps/:app_id/rotate', protectedForm, async (request, reply) =>
    withSecrets(request, reply, async (mine, [newest], account) => {
      // The form says which secret it follows: sent late, from a second tab, it would push out one that is in use.
      const { after } = (request.body ?? {}) as { after?: unknown }
      const current = after === (newest?.id ?? '')
      const by = byAccount(account, fromOf(request))
      const client_secret = current ? await once(request, () => apps.rotateSecret(mine.id, by)) : null
      const viewer = viewerOf(reply, account)
      if (client_secret === null) {
        return sendHtml(reply, sentAlreadyPage(viewer, `/developer/apps/${mine.id}`), 409)
      }
      return sendHtml(reply, secretPage({ viewer, app: mine, client_secret, what: 'rotated' }))
    }),
  )

  /** The secret that the address names, when there is another that the app can go on with. */
  async function withOldSecret(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (mine: App, secret: AppSecret, account: Account) => Promise<unknown>,
  ): Promise<unknown> {
    return withSecrets(request, reply, async (mine, secrets, account) => {
      const { secret_id } = request.params as { secret_id: string }
      const secret = secrets.find(({ id }) => id === secret_id)
      if (secret && secrets.length > 1) return then(mine, secret, account)
      const [title, advice] = secret
        ? ['This is the app’s only secret', 'Make a new one first, take it into use, then retire this one.']
        : ['There is no such secret', 'It was retired already.']
      return sendHtml(reply, messagePage(title, advice, backTo(reply, mine, account)), secret ? 409 : 404)
    })
  }

  app.get('/developer/apps/:app_id/secrets/:secret_id/retire', async (request, reply) =>
    withOldSecret(request, reply, async (mine, secret, account) =>
      sendHtml(reply, retirePage({ viewer: viewerOf(reply, account), app: mine, secret })),
    ),
  )

  app.post('/developer/apps/:app_id/secrets/:secret_id/retire', protectedForm, async (request, reply) =>
    withOldSecret(request, reply, async (mine, secret, account) => {
      const retired = await apps.retireSecret(mine.id, secret.id, byAccount(account, fromOf(request)))
      // Another tab may have retired the other one meanwhile; then this is the last, and stays.
      return reply.redirect(`/developer/apps/${mine.id}${retired ? '?done=retired' : ''}`, 303)
    }),
  )
}
