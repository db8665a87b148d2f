import type { FastifyInstance } from 'fastify'
import type { NewApp } from '../../domain/apps/apps.ts'
import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import { createAsDeveloper } from '../sign-in/as-developer.ts'
import { developerActivity } from './app/activity.ts'
import { developerApp } from './app/app.ts'
import { type AppForm, emptyForm, newAppPage } from './form.view.ts'
import { myAppsPage } from './apps.view.ts'
import { faceOf, readFaceForm } from './form.ts'
import { developerRequests } from './app/requests.ts'
import { developerSecrets } from './app/secrets.ts'
import { secretPage, sentAlreadyPage } from './app/secrets.view.ts'
import { developerState } from './app/state.ts'
import { developerTry } from './app/try.ts'
import type { ConsoleDeps } from '../deps.ts'
import { createOnce } from '../once.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { viewerOf } from '../viewer.ts'

const appsAPage = 50

/** The developer's own apps: which there are, a new one, and the pages of each. */
export function developerApps(app: FastifyInstance, deps: ConsoleDeps): void {
  const { storage, apps, figures } = deps
  const guards = createAsDeveloper(deps)
  const once = createOnce(deps)

  app.get('/developer/apps', async (request, reply) =>
    guards.asDeveloper(request, reply, async account => {
      const all = await storage.apps.ofOwner(account.id)
      const pages = Math.max(1, Math.ceil(all.length / appsAPage))
      const page = Math.min(pages, pageOf((request.query as { page?: unknown }).page))
      const shown = all.slice((page - 1) * appsAPage, page * appsAPage)
      const ids = shown.map(({ id }) => id)
      const totals = await figures.requests.totals(ids, 24)
      return sendHtml(
        reply,
        myAppsPage({
          viewer: viewerOf(reply, account),
          apps: shown.flatMap(one => {
            const own = totals.get(one.id)
            return own ? [{ app: one, figures: own }] : []
          }),
          total: all.length,
          page,
          pages,
        }),
      )
    }),
  )

  app.get('/developer/apps/new', async (request, reply) =>
    guards.asDeveloper(request, reply, async account =>
      sendHtml(reply, newAppPage({ form: emptyForm, viewer: viewerOf(reply, account) })),
    ),
  )

  app.post('/developer/apps/new', { preHandler: app.csrfProtection }, async (request, reply) =>
    guards.asDeveloper(request, reply, async account => {
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

  developerApp(app, { ...deps, ...guards })
  developerSecrets(app, { ...deps, ...guards, once })
  developerState(app, { ...deps, ...guards })
  developerRequests(app, { ...deps, ...guards })
  developerActivity(app, { ...deps, ...guards })
  developerTry(app, { ...deps, ...guards })
}

/** Anything but a number of a page is the first one. */
const pageOf = (text: unknown): number =>
  typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1

function readForm(body: unknown): AppForm {
  const { scope, public: isPublic } = (body ?? {}) as Record<string, unknown>
  return {
    ...readFaceForm(body),
    scopes: [scope].flat().filter(one => typeof one === 'string'),
    public: isPublic === 'yes',
  }
}

function toNewApp(form: AppForm, owner_id: string): NewApp {
  if (form.scopes.length === 0) throw new InputError('scope', 'pick at least one')
  return { ...faceOf(form), scope: form.scopes.join(' '), public: form.public, owner_id }
}
