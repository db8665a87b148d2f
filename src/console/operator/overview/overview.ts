import type { FastifyInstance } from 'fastify'
import { readOverview } from '../../../domain/overview.ts'
import type { AsOperator } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { overviewPage } from './overview.view.ts'
import { isPeriod } from '../../parts/request-figures.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

/** The operator's home: how it goes at a glance. */
export function operatorOverview(app: FastifyInstance, deps: ConsoleDeps & { asOperator: AsOperator }): void {
  app.get('/operator', async (request, reply) =>
    deps.asOperator(request, reply, async account => {
      const { period: asked } = request.query as { period?: unknown }
      const period = isPeriod(asked) ? asked : '24h'
      const overview = await readOverview(deps, period)
      const view = { viewer: viewerOf(reply, account), overview, period, now: deps.clock.now() }
      return sendHtml(reply, overviewPage(view))
    }),
  )
}
