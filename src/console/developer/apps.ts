import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { pageNumber } from '../parts/pagination.ts'
import { sendHtml } from '../send-html.ts'
import { myAppsPage } from './apps.view.ts'

const pageSize = 50

/** The developer's home: their apps, each with its requests and errors. */
export function myApps(scope: PageScope, { storage, figures }: ConsoleDeps): void {
  const schema = { querystring: fields({ page: text }) }

  scope.get('/developer/apps', { schema }, async ({ account, viewer, query }, reply) => {
    const all = await storage.apps.ofOwner(account.id)
    const pages = Math.max(1, Math.ceil(all.length / pageSize))
    const page = Math.min(pages, pageNumber(query.page))
    const shown = all.slice((page - 1) * pageSize, page * pageSize)
    const totals = await figures.requests.totals(
      shown.map(({ id }) => id),
      24,
    )
    const apps = shown.flatMap(app => {
      const own = totals.get(app.id)
      return own ? [{ app, figures: own }] : []
    })
    return sendHtml(reply, myAppsPage({ viewer, apps, total: all.length, page, pages }))
  })
}
