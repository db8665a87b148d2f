import type { LoggedRequest, LogQuery } from '../../../storage/port/index.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { type LogFilter, requestsPage } from './requests.view.ts'

const pageSize = 50
const maxTextLength = 200
/** The log's retention in hours: the filter offers the endpoints of this time. */
const logHours = 7 * 24

/** The app's latest requests, searchable by endpoint, by error or by the request id of a response. */
export function developerRequests(scope: PageScope, { figures: { requests } }: ConsoleDeps): void {
  async function entriesOf(app_id: string, filter: LogFilter, before: LogQuery['before']) {
    if (filter.request_id !== '') {
      const found = await requests.find(app_id, filter.request_id)
      return { entries: found ? [found] : [], next: null }
    }
    return requests.log({
      app_id,
      errors_only: filter.errors_only,
      endpoint: filter.endpoint === '' ? null : filter.endpoint,
      before,
      limit: pageSize,
    })
  }

  const schema = { querystring: fields({ q: text, endpoint: text, errors: text, before: text }) }
  scope.get('/developer/apps/:app_id/requests', { schema }, async (request, reply) => {
    const { ownApp: app, viewer, query } = request
    const filter = {
      request_id: query.q.trim().slice(0, maxTextLength),
      endpoint: query.endpoint.trim().slice(0, maxTextLength),
      errors_only: query.errors === 'yes',
    }
    const before = placeOf(query.before)
    const [{ entries, next }, counted] = await Promise.all([
      entriesOf(app.id, filter, before),
      requests.byEndpoint(app.id, logHours),
    ])
    const endpoints = counted.map(({ key }) => key).sort()
    const view = { viewer, app, filter, entries, endpoints, first: before === null, older: textOf(next) }
    return sendHtml(reply, requestsPage(view))
  })
}

type Place = Pick<LoggedRequest, 'at_ms' | 'request_id'>

/** The last entry of a page, as the address of the next page carries it. */
const textOf = (place: Place | null): string | null => place && `${place.at_ms}.${place.request_id}`

function placeOf(text: string): Place | null {
  const [, at_ms, request_id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? []
  return at_ms === undefined || request_id === undefined ? null : { at_ms: Number(at_ms), request_id }
}
