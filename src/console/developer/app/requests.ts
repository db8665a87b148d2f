import type { FastifyInstance } from 'fastify'
import type { LoggedRequest, LogQuery } from '../../../storage/port/index.ts'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { type LogFilter, requestsPage } from './requests.view.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

const entriesAPage = 50
/** As long as the log is kept, in hours: which endpoints can be in it. */
const logHours = 7 * 24

/** The app's latest requests, one by one: found by time, by endpoint, or by the id that an answer carried. */
export function developerRequests(
  app: FastifyInstance,
  { figures: { requests }, asOwner }: ConsoleDeps & AsDeveloper,
): void {
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
      limit: entriesAPage,
    })
  }

  app.get('/developer/apps/:app_id/requests', async (request, reply) =>
    asOwner(request, reply, async (mine, account) => {
      const query = request.query as Record<string, unknown>
      const filter = filterOf(query)
      const before = placeOf(query['before'])
      const [{ entries, next }, counted] = await Promise.all([
        entriesOf(mine.id, filter, before),
        requests.byEndpoint(mine.id, logHours),
      ])
      const endpoints = counted.map(({ key }) => key).sort()
      const view = { app: mine, filter, entries, endpoints, first: before === null, older: textOf(next) }
      return sendHtml(reply, requestsPage({ viewer: viewerOf(reply, account), ...view }))
    }),
  )
}

/** A parameter that is not there, or not once, is empty. */
function filterOf(query: Record<string, unknown>): LogFilter {
  const text = (name: string): string => {
    const value = query[name]
    return typeof value === 'string' ? value.trim().slice(0, 200) : ''
  }
  return { request_id: text('q'), endpoint: text('endpoint'), errors_only: text('errors') === 'yes' }
}

type Place = Pick<LoggedRequest, 'at_ms' | 'request_id'>

/** Where a page ended, as an address carries it. */
const textOf = (place: Place | null): string | null => place && `${place.at_ms}.${place.request_id}`

function placeOf(text: unknown): Place | null {
  const [, at_ms, request_id] = (typeof text === 'string' && /^(\d{1,15})\.([\w-]{1,64})$/.exec(text)) || []
  return at_ms === undefined || request_id === undefined ? null : { at_ms: Number(at_ms), request_id }
}
