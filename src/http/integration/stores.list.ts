import { Type } from 'typebox'
import { count, index } from '../../contract/paging.ts'
import { Store } from '../../contract/store.ts'
import { createStoreList } from '../../domain/reading/stores.ts'
import { rateLimit } from '../reply/headers.ts'
import { sendPage } from '../reply/listing.ts'
import { errorResponses, notModified, success } from '../reply/responses.ts'
import { type App, principalOf } from '../route.ts'
import { checkedTogether } from '../parameters.ts'
import { createCursors, cursor } from './cursor.ts'
import type { IntegrationDeps } from './deps.ts'

interface StoresQuery {
  index: number
  count: number
  cursor?: string | undefined
}

/** Spec 4.1 */
export function storesList(app: App, { storage, issuer, requireScope }: IntegrationDeps): void {
  const cursors = createCursors<StoresQuery>(issuer, 'stores', { key: () => ['integer'], filter: [] })
  const listStores = createStoreList(storage)
  app.get(
    '/integration/v1/stores',
    {
      schema: {
        operationId: 'listStores',
        tags: ['Stores'],
        summary: 'List stores',
        description:
          'The stores the token is authorized against that were connected with `integration.store`, by id.',
        security: [{ oauth2: ['integration.store'] }],
        querystring: checkedTogether({ index, count: count(), cursor }, cursors.check),
        headers: Type.Object({
          'If-None-Match': Type.Optional(
            Type.String({ description: '`*` is answered with 304 to a token that may list stores' }),
          ),
        }),
        response: {
          200: success(Type.Array(Store), 'A page of stores', 'Link', ...rateLimit),
          304: notModified('To `If-None-Match: *`', 'Link'),
          ...errorResponses('TokenRejected', 'ScopeInsufficient', 'ParameterInvalid', 'RateLimited'),
        },
      },
      ...requireScope('integration.store'),
    },
    async (request, reply) => {
      const behind = cursors.read(request.query)
      const page = await listStores(principalOf(request), { ...request.query, behind })
      cursors.link(reply, request.query, page.end)
      return sendPage(reply, page)
    },
  )
}
