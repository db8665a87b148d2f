import type { FastifyInstance } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { appPage, isOutcome } from './app.view.ts'
import { editAppPage, formOf } from '../form.view.ts'
import { faceOf, readFaceForm } from '../form.ts'
import { isPeriod, type Period } from '../../parts/request-figures.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

/** One app: what it is and how it does; and changing what merchants see of it. */
export function developerApp(
  app: FastifyInstance,
  { storage, apps, figures, asOwner }: ConsoleDeps & AsDeveloper,
): void {
  async function usageOf(app_id: string, period: Period) {
    const { requests } = figures
    // Both of the same hours or days, so that the table adds up to the chart.
    const [chart, endpoints] = await Promise.all(
      period === '24h'
        ? [requests.byHour(app_id, 24), requests.byEndpoint(app_id, 24)]
        : [requests.byDay(app_id, 30), requests.byEndpointOfDays(app_id, 30)],
    )
    return { period, chart, endpoints }
  }

  app.get('/developer/apps/:app_id', async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      const { period, done } = request.query as Record<string, unknown>
      const [secrets, reach, usage] = await Promise.all([
        storage.apps.secrets(mine.id),
        storage.browse.reachOf(mine.id),
        usageOf(mine.id, isPeriod(period) ? period : '24h'),
      ])
      const viewer = viewerOf(reply, account)
      const outcome = isOutcome(done) ? done : null
      return sendHtml(reply, appPage({ viewer, app: mine, secrets, reach, usage, done: outcome }))
    }),
  )

  app.get('/developer/apps/:app_id/edit', async (request, reply) =>
    asOwner(request, reply, async (mine, account) =>
      sendHtml(reply, editAppPage({ viewer: viewerOf(reply, account), app: mine, form: formOf(mine) })),
    ),
  )

  app.post('/developer/apps/:app_id/edit', { preHandler: app.csrfProtection }, async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      const form = readFaceForm(request.body)
      try {
        await apps.change(mine.id, faceOf(form), byAccount(account, fromOf(request)))
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        const viewer = viewerOf(reply, account)
        return sendHtml(reply, editAppPage({ viewer, app: mine, form, problem: error }), 422)
      }
      return reply.redirect(`/developer/apps/${mine.id}?done=saved`, 303)
    }),
  )
}
