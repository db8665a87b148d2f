import { Type } from 'typebox'
import { Envelope } from '../../contract/envelope.ts'
import { ActivatedStore } from '../../contract/store.ts'
import { createActivation } from '../../domain/reading/stores.ts'
import { sendData } from '../reply/envelope.ts'
import { errorResponses } from '../reply/error-responses.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { store_id } from './of-store.ts'

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
        description: 'Tells the merchant that the integration is in use for this store. Safe to repeat.',
        security: [{ oauth2: ['integration.store'] }],
        params: Type.Object({ store_id }),
        response: {
          200: Envelope(ActivatedStore),
          ...errorResponses(
            'token_missing',
            'store_forbidden',
            'store_not_found',
            'parameter_invalid',
            'body_too_large',
            'media_type_unsupported',
            'rate_limited',
          ),
        },
      },
      ...requireScope('integration.store'),
    },
    async (request, reply) => sendData(reply, await activate(principalOf(request), request.params.store_id)),
  )
}
