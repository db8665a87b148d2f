import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { activityPage } from './activity.view.ts'

const pageSize = 50

/** Changes of an app, by whom and when: its lines of the audit log, as its developer may see them. */
export function developerActivity(scope: PageScope, { auditLog }: ConsoleDeps): void {
  const schema = { querystring: fields({ before: text }) }

  scope.get('/developer/apps/:app_id/activity', { schema }, async (request, reply) => {
    const { ownApp: app, account, viewer } = request
    const before = request.query.before === '' ? undefined : request.query.before
    const { lines, next } = await auditLog.page({ app_id: app.id }, { before, limit: pageSize })
    const first = before === undefined
    return sendHtml(reply, activityPage({ viewer, account, app, lines, first, next }))
  })
}
