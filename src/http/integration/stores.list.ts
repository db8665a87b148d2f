import { Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { count, index } from '../../contract/paging.ts'
import { Store } from '../../contract/store.ts'
import { createStoreList } from '../../domain/reading/stores.ts'
import { errorResponses } from '../reply/error-responses.ts'
import { sendPage } from '../reply/listing.ts'
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
        description: 'The stores the token is authorized against, by id.',
        security: [{ oauth2: ['integration.store'] }],
        querystring: checkedTogether({ index, count: count(), cursor }, cursors.check),
        response: {
          200: Envelope(Type.Array(Store)),
          304: Type.Null({ description: 'To `If-None-Match: *`' }),
          ...errorResponses('token_missing', 'scope_insufficient', 'parameter_invalid', 'rate_limited'),
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
