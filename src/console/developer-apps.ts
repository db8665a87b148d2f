import type { FastifyInstance } from 'fastify'
import type { NewApp } from '../domain/apps.ts'
import { byAccount } from '../domain/audit.ts'
import { InputError } from '../domain/input-error.ts'
import { createAsDeveloper } from './as-developer.ts'
import { type AppForm, emptyForm, newAppPage } from './developer-app-form.view.ts'
import { appPage, myAppsPage } from './developer-apps.view.ts'
import { developerSecrets } from './developer-secrets.ts'
import { secretPage, sentAlreadyPage } from './developer-secrets.view.ts'
import type { ConsoleDeps } from './index.ts'
import { createOnce } from './once.ts'
import { sendHtml } from './send-html.ts'
import { fromOf } from './signed-in.ts'
import { viewerOf } from './viewer.ts'

/** The developer's own apps: which there are, a new one, and each one's secrets. */
export function developerApps(app: FastifyInstance, deps: ConsoleDeps): void {
  const { storage, apps } = deps
  const guards = createAsDeveloper(deps)
  const { asDeveloper, asOwner } = guards
  const once = createOnce(deps)

  app.get('/developer/apps', async (request, reply) =>
    asDeveloper(request, reply, async account => {
      const mine = await storage.apps.ofOwner(account.id)
      return sendHtml(reply, myAppsPage({ viewer: viewerOf(reply, account), apps: mine }))
    }),
  )

  app.get('/developer/apps/new', async (request, reply) =>
    asDeveloper(request, reply, async account =>
      sendHtml(reply, newAppPage({ form: emptyForm, viewer: viewerOf(reply, account) })),
    ),
  )

  app.post('/developer/apps/new', { preHandler: app.csrfProtection }, async (request, reply) =>
    asDeveloper(request, reply, async account => {
      const form = readForm(request.body)
      try {
        const made = await once(request, () =>
          apps.create(toNewApp(form, account.id), byAccount(account, fromOf(request))),
        )
        if (!made) return sendHtml(reply, sentAlreadyPage(viewerOf(reply, account), '/developer/apps'), 409)
        return sendHtml(
          reply,
          secretPage({ ...made, viewer: viewerOf(reply, account), what: 'created' }),
          201,
        )
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        return sendHtml(reply, newAppPage({ form, problem: error, viewer: viewerOf(reply, account) }), 422)
      }
    }),
  )

  app.get('/developer/apps/:app_id', async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      const secrets = await storage.apps.secrets(mine.id)
      return sendHtml(reply, appPage({ viewer: viewerOf(reply, account), app: mine, secrets }))
    }),
  )

  developerSecrets(app, { ...deps, ...guards, once })
}

/** As it was typed, so that it can be shown again. A field that a form of ours does not send so counts as empty. */
function readForm(body: unknown): AppForm {
  const { name, redirect_uris, scope, public: isPublic } = (body ?? {}) as Record<string, unknown>
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    name: text(name),
    redirect_uris: text(redirect_uris),
    scopes: [scope].flat().filter(one => typeof one === 'string'),
    public: isPublic === 'yes',
  }
}

function toNewApp(form: AppForm, owner_id: string): NewApp {
  if (form.scopes.length === 0) throw new InputError('scope', 'pick at least one')
  const lines = form.redirect_uris.split('\n').map(line => line.trim())
  return {
    name: form.name,
    redirect_uris: lines.filter(line => line !== ''),
    scope: form.scopes.join(' '),
    public: form.public,
    owner_id,
  }
}
