import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { isPeriod } from '../../parts/request-figures.ts'
import { sendHtml } from '../../send-html.ts'
import { overviewPage } from './overview.view.ts'

/** The operator's home: requests, ingest and totals at a glance. */
export function operatorOverview(scope: PageScope, { overview, clock }: ConsoleDeps): void {
  const schema = { querystring: fields({ period: text }) }

  scope.get('/operator', { schema }, async ({ viewer, query }, reply) => {
    const period = isPeriod(query.period) ? query.period : '24h'
    const view = { viewer, overview: await overview(period), period, now: clock.now() }
    return sendHtml(reply, overviewPage(view))
  })
}
