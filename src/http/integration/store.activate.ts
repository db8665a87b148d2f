import { Type } from 'typebox'
import { ActivatedStore } from '../../contract/store.ts'
import { createActivation } from '../../domain/reading/stores.ts'
import { sendData } from '../reply/envelope.ts'
import { rateLimit } from '../reply/headers.ts'
import { success } from '../reply/responses.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { store_id, storeErrors } from './of-store.ts'

/** Spec 4.2: POST, as its text says; the answer is one object, as its table of fields says. */
export function storeActivate(app: App, { storage, clock, requireScope }: IntegrationDeps): void {
  const activate = createActivation(storage, clock)
  app.post(
    '/integration/v1/store/:store_id/activate',
    {
      schema: {
        operationId: 'activateStore',
        tags: ['Stores'],
        summary: 'Activate store integration',
        description:
          'Tells the merchant that the integration is in use for this store. Reading does not require it. Safe to repeat.',
        security: [{ oauth2: ['integration.store'] }],
        params: Type.Object({ store_id }),
        response: {
          200: success(ActivatedStore, 'The store', ...rateLimit),
          ...storeErrors('ParameterInvalid', 'BodyTooLarge', 'MediaTypeUnsupported'),
        },
      },
      ...requireScope('integration.store'),
    },
    async (request, reply) => sendData(reply, await activate(principalOf(request), request.params.store_id)),
  )
}
