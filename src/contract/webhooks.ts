import { type TSchema, Type } from 'typebox'

const storeIds = Type.Array(Type.Integer({ format: 'int64' }))

const message = (type: string, data: TSchema) =>
  Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
    data,
  })

const authorization = Type.Object({
  authorization_id: Type.String(),
  revision: Type.Integer({ description: 'Of two events of an authorization, the higher one is newer' }),
  store_ids: storeIds,
})

const events = {
  'store.changed': {
    summary: 'A store has changed',
    description:
      'Several changes make one call. Read `changes` until `next` is at least `seq`. It is repeated until it succeeds, ' +
      'each time with the newest seq.',
    data: Type.Object({
      store_id: Type.Integer({ format: 'int64' }),
      seq: Type.Integer({ description: 'The newest number of the store’s sequence' }),
      feed: Type.String({ description: 'As in the answer of `changes`' }),
    }),
  },
  'authorization.granted': {
    summary: 'The app got access',
    description: '`store_ids` are the stores that it may read.',
    data: authorization,
  },
  'authorization.changed': {
    summary: 'The app’s stores have changed',
    description: '`store_ids` is the whole set after the change.',
    data: authorization,
  },
  'authorization.revoked': {
    summary: 'The app’s access has ended',
    description: '`store_ids` is the set before the change.',
    data: authorization,
  },
  'webhook.test': {
    summary: 'A test',
    description: 'Sent on request.',
    data: Type.Object({}),
  },
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** The section `webhooks` of OpenAPI 3.1: https://spec.openapis.org/oas/v3.1.0#openapi-object */
export const webhooks = Object.fromEntries(
  Object.entries(events).map(([type, { summary, description, data }]) => [
    type,
    {
      post: {
        operationId: `webhook.${type}`,
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
        requestBody: { required: true, content: { 'application/json': { schema: message(type, data) } } },
        responses: {
          '2XX': { description: 'Received. Anything else, or no answer within 10 s, is repeated later' },
          '410': { description: 'The endpoint is disabled' },
        },
      },
    },
  ]),
)
