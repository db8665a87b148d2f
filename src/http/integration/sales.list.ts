import { type Static, Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { count, index } from '../../contract/paging.ts'
import { Sale } from '../../contract/sale.ts'
import { checkStore } from '../../domain/access.ts'
import { createSales } from '../../domain/sales.ts'
import { checkWindow } from '../../domain/window.ts'
import { sendData } from '../envelope.ts'
import { errorResponses } from '../error-responses.ts'
import { etagOf, knownVersion, notModified } from '../listing.ts'
import { datetimeParameter, int64Parameter, withCrossCheck } from '../parameters.ts'
import { type App, allowOnly, principalOf } from '../route.ts'
import type { IntegrationDeps } from './index.ts'

const Query = Type.Object({
  store_id: int64Parameter('Store identifier'),
  start_date: datetimeParameter('Start of the window, included'),
  end_date: datetimeParameter('End of the window, included; any length'),
  index,
  count: count(),
})

/** Spec 4.5 */
export function salesList(app: App, { storage, requireScope }: IntegrationDeps): void {
  const sales = createSales({ storage })
  const url = '/integration/v1/inventory/sales'
  app.get(
    url,
    {
      schema: {
        operationId: 'listSales',
        tags: ['Inventory'],
        summary: 'Item sales',
        description:
          'How many of each item were sold: the cart lines of the paid and partially refunded orders created in the ' +
          'window, summed by item, by item id.',
        security: [{ oauth2: ['integration.inventory'] }],
        querystring: withCrossCheck(Query, values => checkWindow(values as Partial<Static<typeof Query>>)),
        response: {
          200: Envelope(Type.Array(Sale)),
          304: Type.Null({ description: 'Nothing changed since the ETag that was sent' }),
          ...errorResponses(
            'token_missing',
            'store_forbidden',
            'store_not_found',
            'parameter_invalid',
            'rate_limited',
          ),
        },
      },
      ...requireScope('integration.inventory'),
    },
    async (request, reply) => {
      const { store_id, start_date: from, end_date: to, index = 0, count = 0 } = request.query
      const { claim } = principalOf(request)
      const known = knownVersion(request)
      const { facts, data } = await sales.page(claim, { store_id, from, to, index, count }, known)
      reply.header('etag', etagOf(request, checkStore(facts, store_id).orders_version))
      return data === null ? notModified(reply) : sendData(reply, `[${data}]`)
    },
  )
  allowOnly(app, url, 'GET', 'HEAD')
}
