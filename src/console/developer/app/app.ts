import { splitScope } from '../../../contract/scopes.ts'
import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { isPeriod, type Period } from '../../parts/request-figures.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { profileFields, profileOf } from '../form.ts'
import { editAppPage, formOf } from '../form.view.ts'
import { appPage, isOutcome } from './app.view.ts'

/** One app: its settings and its usage; and a form to change its profile. */
export function developerApp(scope: PageScope, deps: ConsoleDeps): void {
  const { storage, apps, figures, sandbox } = deps

  async function usageOf(app_id: string, period: Period) {
    const { requests } = figures
    // Both cover the same hours or days, so that the table adds up to the chart.
    const [chart, endpoints] = await Promise.all(
      period === '24h'
        ? [requests.byHour(app_id, 24), requests.byEndpoint(app_id, 24)]
        : [requests.byDay(app_id, 30), requests.byEndpointOfDays(app_id, 30)],
    )
    return { period, chart, endpoints }
  }

  const schema = { querystring: fields({ period: text, done: text }) }
  scope.get('/developer/apps/:app_id', { schema }, async ({ ownApp: app, viewer, query }, reply) => {
    const { period, done } = query
    const [secrets, reach, usage] = await Promise.all([
      storage.apps.secrets(app.id),
      storage.browse.reachOf(app.id),
      usageOf(app.id, isPeriod(period) ? period : '24h'),
    ])
    const outcome = isOutcome(done) ? done : null
    return sendHtml(reply, appPage({ viewer, app, secrets, reach, usage, done: outcome }))
  })

  const editPath = '/developer/apps/:app_id/edit'
  scope.get(editPath, async ({ ownApp: app, viewer }, reply) =>
    sendHtml(reply, editAppPage({ viewer, app, form: formOf(app) })),
  )

  scope.post(editPath, { schema: { body: form(profileFields) } }, async (request, reply) => {
    const { ownApp: app, account, viewer, body } = request
    const typed = { ...body, scopes: body.scope }
    const by = byAccount(account, fromOf(request))
    try {
      const { scope } = await apps.change(app.id, profileOf(typed), by)
      const isWider = splitScope(scope).some(name => !splitScope(app.scope).includes(name))
      if (isWider) await sandbox?.stores.authorize(account, app.id, by)
      return reply.redirect(`/developer/apps/${app.id}?done=${isWider ? 'widened' : 'saved'}`, 303)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, editAppPage({ viewer, app, form: typed, problem: error }), 422)
    }
  })
}
