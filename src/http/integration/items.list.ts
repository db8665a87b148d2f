import { Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { Item } from '../../contract/item.ts'
import { count, index } from '../../contract/paging.ts'
import { createItemList } from '../../domain/reading/items.ts'
import { answerListing } from '../reply/listing.ts'
import { datetimeParameter } from '../parameters.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { otherResponses, store_id } from './of-store.ts'

/** Spec 4.4 */
export function itemsList(app: App, { storage, requireScope }: IntegrationDeps): void {
  const listItems = createItemList(storage)
  app.get(
    '/integration/v1/inventory/items',
    {
      schema: {
        operationId: 'listItems',
        tags: ['Inventory'],
        summary: 'List inventory items',
        description:
          'The items of a store by id; with `updated_after`, those updated later than it, by update time, then id. ' +
          'Deleted items stay listed with status 4.',
        security: [{ oauth2: ['integration.inventory'] }],
        querystring: Type.Object({
          store_id,
          updated_after: Type.Optional(datetimeParameter('Only items updated after this time')),
          index,
          count: count(),
        }),
        response: { 200: Envelope(Type.Array(Item)), ...otherResponses },
      },
      ...requireScope('integration.inventory'),
    },
    async (request, reply) =>
      answerListing(reply, known => listItems(principalOf(request), request.query, known)),
  )
}
