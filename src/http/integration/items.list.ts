import { Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { Item } from '../../contract/item.ts'
import { count, index } from '../../contract/paging.ts'
import { createItemList, type ItemsRequest } from '../../domain/items.ts'
import { errorResponses } from '../error-responses.ts'
import { etagOf, knownVersion, notModified, sendPage } from '../listing.ts'
import { datetimeParameter, int64Parameter } from '../parameters.ts'
import { type App, allowOnly, principalOf } from '../route.ts'
import type { IntegrationDeps } from './index.ts'

/** Spec 4.4 */
export function itemsList(app: App, { storage, requireScope }: IntegrationDeps): void {
  const listItems = createItemList(storage)
  const url = '/integration/v1/inventory/items'
  app.get(
    url,
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
          store_id: int64Parameter('Store identifier'),
          updated_after: Type.Optional(datetimeParameter('Only items updated after this time')),
          index,
          count: count(),
        }),
        response: {
          200: Envelope(Type.Array(Item)),
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
      const known = knownVersion(request)
      const { version, page } = await listItems(principalOf(request), request.query as ItemsRequest, known)
      reply.header('etag', etagOf(request, version))
      return page === null ? notModified(reply) : sendPage(reply, page)
    },
  )
  allowOnly(app, url, 'GET', 'HEAD')
}
