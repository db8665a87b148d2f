import { Type } from 'typebox'
import { mayBeOmitted } from '../../contract/fields.ts'
import { inDays } from '../../contract/lifetimes.ts'
import { Order } from '../../contract/order.ts'
import { count, index, maxOrderCount, maxOrderWindow } from '../../contract/paging.ts'
import { createOrderList, type OrdersRequest } from '../../domain/reading/orders.ts'
import { checkWindow } from '../../domain/reading/window.ts'
import type { OrderField } from '../../storage/port/index.ts'
import { answerListing } from '../reply/listing.ts'
import { checkedTogether } from '../parameters.ts'
import { type App, principalOf } from '../route.ts'
import { createCursors, cursor } from './cursor.ts'
import type { IntegrationDeps } from './deps.ts'
import { followInstead, ifNoneMatch, listResponses, store_id, storeErrors, window } from './of-store.ts'

const date_field = mayBeOmitted(
  Type.Unsafe<OrderField>(
    Type.String({
      enum: ['created_at', 'updated_at', 'paid_at'] satisfies OrderField[],
      default: 'created_at' satisfies OrderField,
      description: 'The time that the window filters and the list is sorted by',
    }),
  ),
)

type OrdersQuery = OrdersRequest & { cursor?: string | undefined }

/** Spec 4.3 */
export function ordersList(app: App, { storage, issuer, requireScope }: IntegrationDeps): void {
  const cursors = createCursors<OrdersQuery>(issuer, 'orders', {
    key: () => ['integer', 'text'],
    filter: ['store_id', 'start_date', 'end_date', 'date_field'],
  })
  const listOrders = createOrderList(storage)
  app.get(
    '/integration/v1/orders',
    {
      schema: {
        operationId: 'listOrders',
        tags: ['Orders'],
        summary: 'List orders',
        description:
          `The orders of a store within a window of at most ${inDays(maxOrderWindow)}, by the time of \`date_field\`, ` +
          'then by id. ' +
          'Ask with `If-None-Match` to get 304 while nothing changed.',
        security: [{ oauth2: ['integration.order'] }],
        querystring: checkedTogether(
          {
            store_id,
            ...window(`at most ${inDays(maxOrderWindow)} after start_date`),
            date_field,
            index,
            count: count(maxOrderCount),
            cursor,
          },
          (values, given) => [...checkWindow(values, maxOrderWindow), ...cursors.check(values, given)],
          followInstead(issuer),
        ),
        headers: ifNoneMatch,
        response: {
          ...listResponses(Order, 'A page of orders', 'Link'),
          ...storeErrors('LimitExceeded'),
        },
      },
      ...requireScope('integration.order'),
    },
    async (request, reply) => {
      const query = { ...request.query, behind: cursors.read(request.query) }
      return answerListing(
        reply,
        known => listOrders(principalOf(request), query, known),
        end => cursors.link(reply, request.query, end),
      )
    },
  )
}
