import { type Static, Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { Order } from '../../contract/order.ts'
import { count, index, maxOrderCount, maxOrderWindow } from '../../contract/paging.ts'
import { createOrderList, type OrdersRequest } from '../../domain/orders.ts'
import { checkWindow } from '../../domain/window.ts'
import { errorResponses } from '../error-responses.ts'
import { etagOf, knownVersion, notModified, sendPage } from '../listing.ts'
import { datetimeParameter, int64Parameter, withCrossCheck } from '../parameters.ts'
import { type App, allowOnly, principalOf } from '../route.ts'
import type { IntegrationDeps } from './index.ts'

const Query = Type.Object({
  store_id: int64Parameter('Store identifier'),
  start_date: datetimeParameter('Start of the window, included'),
  end_date: datetimeParameter('End of the window, included; at most 2 days after start_date'),
  date_field: Type.Optional(
    Type.String({
      enum: ['created_at', 'updated_at', 'paid_at'],
      default: 'created_at',
      description: 'The time that the window filters and the list is sorted by',
    }),
  ),
  index,
  count: count(maxOrderCount),
})

/** Spec 4.3 */
export function ordersList(app: App, { storage, requireScope }: IntegrationDeps): void {
  const listOrders = createOrderList(storage)
  const url = '/integration/v1/orders'
  app.get(
    url,
    {
      schema: {
        operationId: 'listOrders',
        tags: ['Orders'],
        summary: 'List orders',
        description:
          'The orders of a store within a window of at most 2 days, by the time of `date_field`, then by id. ' +
          'Ask with `If-None-Match` to get 304 while nothing changed.',
        security: [{ oauth2: ['integration.order'] }],
        querystring: withCrossCheck(Query, values =>
          checkWindow(values as Partial<Static<typeof Query>>, maxOrderWindow),
        ),
        response: {
          200: Envelope(Type.Array(Order)),
          304: Type.Null({ description: 'Nothing changed since the ETag that was sent' }),
          ...errorResponses(
            'token_missing',
            'store_forbidden',
            'store_not_found',
            'window_too_long',
            'rate_limited',
          ),
        },
      },
      ...requireScope('integration.order'),
    },
    async (request, reply) => {
      const known = knownVersion(request)
      const { version, page } = await listOrders(principalOf(request), request.query as OrdersRequest, known)
      reply.header('etag', etagOf(request, version))
      return page === null ? notModified(reply) : sendPage(reply, page)
    },
  )
  allowOnly(app, url, 'GET', 'HEAD')
}
