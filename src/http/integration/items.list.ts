import { Type } from 'typebox'
import { Item } from '../../contract/item.ts'
import { count, index } from '../../contract/paging.ts'
import { createItemList, type ItemsRequest } from '../../domain/reading/items.ts'
import { answerListing } from '../reply/listing.ts'
import { checkedTogether, datetimeParameter } from '../parameters.ts'
import { type App, principalOf } from '../route.ts'
import { createCursors, cursor } from './cursor.ts'
import type { IntegrationDeps } from './deps.ts'
import { ifNoneMatch, listResponses, store_id, storeErrors } from './of-store.ts'

type ItemsQuery = ItemsRequest & { cursor?: string | undefined }

/** Spec 4.4 */
export function itemsList(app: App, { storage, issuer, requireScope }: IntegrationDeps): void {
  const cursors = createCursors<ItemsQuery>(issuer, 'items', {
    key: ({ updated_after }) => (updated_after === undefined ? ['integer'] : ['integer', 'integer']),
    filter: ['store_id', 'updated_after'],
  })
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
        querystring: checkedTogether(
          {
            store_id,
            updated_after: Type.Optional(datetimeParameter('Only items updated after this time')),
            index,
            count: count(),
            cursor,
          },
          cursors.check,
        ),
        headers: ifNoneMatch,
        response: {
          ...listResponses(Item, 'A page of items', 'Link'),
          ...storeErrors('ParameterInvalid'),
        },
      },
      ...requireScope('integration.inventory'),
    },
    async (request, reply) => {
      const query = { ...request.query, behind: cursors.read(request.query) }
      return answerListing(
        reply,
        known => listItems(principalOf(request), query, known),
        end => cursors.link(reply, request.query, end),
      )
    },
  )
}
