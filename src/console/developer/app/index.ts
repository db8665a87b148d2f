import type { App } from '../../../storage/port/index.ts'
import { messagePage } from '../../layout.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { developerActivity } from './activity.ts'
import { developerApp } from './app.ts'
import { developerLogo } from './logo.ts'
import { developerConnect } from './connect.ts'
import { developerRequest } from './request.ts'
import { developerRequests } from './requests.ts'
import { secretPages } from './secrets.ts'
import { developerState } from './state.ts'
import { developerTry } from './try.ts'
import { webhookPages } from '../webhooks/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The developer's app that the address names. Set on these pages alone. */
    ownApp: App
  }
}

/** The pages of one app, for the developer who registered it. */
export const ownAppPages: PagePlugin = async (scope, deps) => {
  scope.decorateRequest('ownApp')
  scope.addHook<{ Params: { app_id: string } }>('preHandler', async (request, reply) => {
    const { account, viewer, params } = request
    const app = await deps.storage.apps.find(params.app_id)
    if (app?.owner_id === account.id) {
      request.ownApp = app
      return
    }
    // Another developer's app looks like one that does not exist.
    const action = { href: '/developer/apps', label: 'My apps' }
    const page = messagePage('App not found', 'None of your apps has this address.', {
      viewer,
      action,
    })
    return sendHtml(reply, page, 404)
  })
  developerApp(scope, deps)
  developerLogo(scope, deps)
  developerConnect(scope, deps)
  developerState(scope, deps)
  developerRequests(scope, deps)
  developerRequest(scope, deps)
  developerActivity(scope, deps)
  developerTry(scope, deps)
  await scope.register(secretPages, deps)
  await scope.register(webhookPages, deps)
}
