import { type TSchema, Type } from 'typebox'
import { schemaReference } from './reference.ts'

const AuthorizationStores = Type.Object(
  {
    authorization_id: Type.String(),
    revision: Type.Integer({ description: 'Of two events of an authorization, the higher one is newer' }),
    store_ids: Type.Array(Type.Integer({ format: 'int64' })),
  },
  { $id: 'AuthorizationStores' },
)

const events = {
  'store.changed': {
    name: 'StoreChanged',
    summary: 'A store has changed',
    description:
      'Several changes make one call. Read `changes` until `next` is at least `seq`. It is repeated until it succeeds, ' +
      'each time with the newest seq.',
    data: Type.Object({
      store_id: Type.Integer({ format: 'int64' }),
      seq: Type.Integer({ format: 'int64', description: 'The newest number of the store’s sequence' }),
      feed: Type.String({ description: 'As in the answer of `changes`' }),
    }),
  },
  'authorization.granted': {
    name: 'AuthorizationGranted',
    summary: 'The app got access',
    description: '`store_ids` are the stores that it may read.',
    data: AuthorizationStores,
  },
  'authorization.changed': {
    name: 'AuthorizationChanged',
    summary: 'The app’s stores have changed',
    description: '`store_ids` is the whole set after the change.',
    data: AuthorizationStores,
  },
  'authorization.revoked': {
    name: 'AuthorizationRevoked',
    summary: 'The app’s access has ended',
    description: '`store_ids` is the set before the change.',
    data: AuthorizationStores,
  },
  'webhook.test': {
    name: 'WebhookTest',
    summary: 'A test',
    description: 'Sent on request, to any endpoint.',
    data: Type.Object({}),
  },
}

const message = (type: string, data: TSchema) =>
  Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
    data,
  })

/** The bodies of the calls, by their names in the API reference. */
export const webhookSchemas = Object.fromEntries(
  Object.entries(events).map(([type, { name, data }]) => [name, message(type, data)]),
)

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** The section `webhooks` of OpenAPI 3.1: https://spec.openapis.org/oas/v3.1.0#openapi-object */
export const webhooks = Object.fromEntries(
  Object.entries(events).map(([type, { name, summary, description }]) => [
    type,
    {
      post: {
        operationId: `receive${name}`,
        tags: ['Webhooks'],
        summary,
        description,
        security: [],
        parameters: [
          header('webhook-id', 'The same for every attempt to deliver the same event'),
          header('webhook-timestamp', 'When the attempt was made, in seconds since 1970'),
          header(
            'webhook-signature',
            '`v1,` and a signature; two during a rotation, with a space between them',
          ),
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: schemaReference(name) } } },
        },
        responses: {
          '2XX': { description: 'Received. Anything else, or no answer within 10 s, is repeated later' },
          '410': { description: 'The endpoint is disabled' },
        },
      },
    },
  ]),
)
