import { count, index } from '../../contract/paging.ts'
import { Sale } from '../../contract/sale.ts'
import { createSalesList } from '../../domain/reading/sales.ts'
import { checkWindow } from '../../domain/reading/window.ts'
import { answerListing } from '../reply/listing.ts'
import { checkedTogether } from '../parameters.ts'
import { type App, principalOf } from '../route.ts'
import { linkNext } from './cursor.ts'
import type { IntegrationDeps } from './deps.ts'
import { ifNoneMatch, listResponses, store_id, storeErrors, window } from './of-store.ts'

const ownParameters = ['store_id', 'start_date', 'end_date', 'count']

/** Spec 4.5 */
export function salesList(app: App, { storage, issuer, requireScope }: IntegrationDeps): void {
  const listSales = createSalesList(storage)
  app.get(
    '/integration/v1/inventory/sales',
    {
      schema: {
        operationId: 'listSales',
        tags: ['Inventory'],
        summary: 'Item sales',
        description:
          'How many of each item were sold: the cart lines of the paid and partially refunded orders created in the ' +
          'window, summed by item, by item id.',
        security: [{ oauth2: ['integration.inventory'] }],
        querystring: checkedTogether({ store_id, ...window('any length'), index, count: count() }, values =>
          checkWindow(values),
        ),
        headers: ifNoneMatch,
        response: {
          ...listResponses(Sale, 'A page of sales', 'Link'),
          ...storeErrors('ParameterInvalid'),
        },
      },
      ...requireScope('integration.inventory'),
    },
    async (request, reply) =>
      answerListing(
        reply,
        known => listSales(principalOf(request), request.query, known),
        // A cursor would save nothing: every page sums the whole window.
        end => {
          if (end) linkNext(reply, issuer, ownParameters, `index=${request.query.index + 1}`)
        },
      ),
  )
}
