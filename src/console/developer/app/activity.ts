import type { FastifyInstance } from 'fastify'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { activityPage } from './activity.view.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

const linesAPage = 50

/** What was changed of an app, by whom and when: its lines of the audit log, as its developer may see them. */
export function developerActivity(
  app: FastifyInstance,
  { storage, asOwner }: ConsoleDeps & AsDeveloper,
): void {
  app.get('/developer/apps/:app_id/activity', async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      const { before } = request.query as { before?: unknown }
      const after = typeof before === 'string' && before !== '' ? before : null
      const { lines, next } = await storage.audit.list({
        app_id: mine.id,
        ...(after !== null && { before: after }),
        limit: linesAPage,
        look: linesAPage,
      })
      const view = { app: mine, lines, first: after === null, next }
      return sendHtml(reply, activityPage({ viewer: viewerOf(reply, account), account, ...view }))
    }),
  )
}
