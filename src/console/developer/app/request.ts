import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import { messagePage } from '../../layout.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { requestPage } from './request.view.ts'
import { pathOf } from './requests.view.ts'

/** One request of the app's log, with its query and what was wrong with it. */
export function developerRequest(scope: PageScope, { figures: { requests } }: ConsoleDeps): void {
  const schema = { params: fields({ app_id: text, request_id: text }) }
  scope.get('/developer/apps/:app_id/requests/:request_id', { schema }, async (request, reply) => {
    const { ownApp: app, viewer, params } = request
    const entry = await requests.find(app.id, params.request_id)
    if (entry) return sendHtml(reply, requestPage({ viewer, app, entry }))
    const advice = 'The request may be too old, left out of the log, or from another app.'
    const action = { href: pathOf(app), label: 'Show all requests' }
    return sendHtml(reply, messagePage('Request not found', advice, { viewer, action }), 404)
  })
}
