import { byAccount, type By } from '../../../domain/audit/audit.ts'
import type { App } from '../../../storage/port/index.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sendNotFound } from '../not-found.ts'
import { appPage } from './app.view.ts'
import { appStorePages } from './stores.ts'
import {
  disableAppPage,
  enableAppPage,
  pauseWebhooksPage,
  resumeWebhooksPage,
  revokeAppPage,
} from './confirm.view.ts'

const latest = 10
const days = 30

declare module 'fastify' {
  interface FastifyRequest {
    /** The app that the address names. Set on these pages alone. */
    shownApp: App
  }
}

/** One app: its developer, what it may read, its requests; disable it, enable it, pause its webhooks, revoke all its access. */
export const appPages: PagePlugin = async (scope, deps) => {
  const { storage, apps, webhooks, figures, auditLog } = deps
  scope.decorateRequest('shownApp')
  scope.addHook<{ Params: { app_id: string } }>('preHandler', async (request, reply) => {
    const found = await storage.apps.find(request.params.app_id)
    const list = { href: '/operator/apps', label: 'Apps' }
    if (!found) return sendNotFound(reply, request.viewer, 'app', list)
    request.shownApp = found
  })

  scope.get('/operator/apps/:app_id', async ({ viewer, shownApp: app }, reply) => {
    const [owner, secrets, reach, requests, { lines }, endpoints, paused] = await Promise.all([
      app.owner_id === null ? null : storage.accounts.find(app.owner_id),
      storage.apps.secrets(app.id),
      storage.browse.reachOf(app.id),
      figures.requests.byDay(app.id, days),
      auditLog.page({ app_id: app.id }, { limit: latest }),
      webhooks.listWithCalls(app.id),
      storage.webhooks.isPaused(app.id),
    ])
    return sendHtml(
      reply,
      appPage({ viewer, app, owner, secrets, reach, requests, lines, endpoints, paused }),
    )
  })

  appStorePages(scope, deps)

  const changes = {
    disable: {
      question: disableAppPage,
      change: (app: App, by: By) => apps.setDisabled(app.id, true, by),
    },
    enable: {
      question: enableAppPage,
      change: (app: App, by: By) => apps.setDisabled(app.id, false, by),
    },
    revoke: {
      question: revokeAppPage,
      change: (app: App, by: By) => apps.revoke(app.id, null, by),
    },
    'webhooks/pause': {
      question: pauseWebhooksPage,
      change: (app: App, by: By) => webhooks.setPaused(app.id, true, by),
    },
    'webhooks/resume': {
      question: resumeWebhooksPage,
      change: (app: App, by: By) => webhooks.setPaused(app.id, false, by),
    },
  }
  for (const [name, { question, change }] of Object.entries(changes)) {
    const path = `/operator/apps/:app_id/${name}`
    scope.get(path, async ({ viewer, shownApp: app }, reply) => {
      const reach = await storage.browse.reachOf(app.id)
      return sendHtml(reply, question({ viewer, app, reach }))
    })
    scope.post(path, async (request, reply) => {
      const { account, shownApp: app } = request
      await change(app, byAccount(account, fromOf(request)))
      return reply.redirect(`/operator/apps/${app.id}`, 303)
    })
  }
}
