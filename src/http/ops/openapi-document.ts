import type { RouteOptions } from 'fastify'
import { scopes } from '../../contract/scopes.ts'
import { webhookSchemas, webhooks } from '../../contract/webhooks.ts'
import { oauthErrorComponents, oauthErrorSchemas } from '../oauth/responses.ts'
import { oauthSchemas } from '../oauth/schemas.ts'
import { insertReferences } from '../reply/components.ts'
import { headers } from '../reply/headers.ts'
import { errorComponents, errorSchemas } from '../reply/responses.ts'
import { withFaultHeader } from '../sandbox/header.ts'
import { withoutCompilers } from '../schema-controller.ts'
import { beginning } from './reference-introduction.ts'

/** The recipe of docs/sync.md in short: errors of the lists link to it. */
const changesGuide = `Every order and item that the server holds, with nothing missed.

1. For each store, request \`changes\` with \`after=0\`. Store the entries by kind and id, together with \`next\` and \`feed\`,
   in one transaction. Repeat with \`after\` and \`feed\` until \`more\` is false: this is the first copy.
2. Go on in the same way, with \`wait\`, which holds the request until there is something new. Late, corrected and
   back-dated orders and refunds come like all others, because \`seq\` is the order in which the server stored them.
3. On 409 \`feed_changed\`, begin again with \`after=0\` and without \`feed\`. Replace each entry, whatever its \`seq\`; when
   \`more\` is false, delete what did not come.
4. Every night, compare your copy with \`receipts\`.

For many stores, \`changes/heads\` says which of them have changed.`

const webhooksGuide = `Calls from the server to the endpoints of an app, by Standard Webhooks 1.0. The receiver verifies
\`webhook-signature\` with the endpoint's secret, and answers any 2xx within 10 seconds. A call may come twice, with the same
\`webhook-id\`; \`store.changed\` says that there is something to fetch from \`changes\`.`

const authorizationGuide = `OAuth 2.0 (RFC 6749). Script in a browser can call the API from the origins of the app's redirect
URIs, and the token and revocation endpoints if the app is public (CORS).`

/** OpenAPI 3.1 from the schemas of the routes. A route without a tag is not part of the API. */
export async function openapiDocument(
  routes: readonly RouteOptions[],
  issuer: string,
  { sandbox }: { sandbox: boolean },
): Promise<object> {
  // Loaded on demand: it takes more than a hundred modules, which no other request needs.
  const [{ default: swagger }, { default: Fastify }] = await Promise.all([
    import('@fastify/swagger'),
    import('fastify'),
  ])
  const app = Fastify({ schemaController: withoutCompilers, exposeHeadRoutes: false })
  const described = Object.fromEntries(Object.entries(scopes).map(([name, { gives }]) => [name, gives]))
  const withGrant = (grant: string) =>
    Object.fromEntries(
      Object.entries(described).filter(([name]) =>
        (scopes[name as keyof typeof scopes].grants as readonly string[]).includes(grant),
      ),
    )
  await app.register(swagger, {
    // A schema with an `$id` is a component of that name.
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    // The document is true for the server that serves it.
    transform: ({ schema, url }) => ({ schema: sandbox ? withFaultHeader(schema, url) : schema, url }),
    transformObject: made => insertReferences('openapiObject' in made ? made.openapiObject : {}),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillgate',
        version: '1',
        description: beginning(issuer),
        contact: { name: 'The operator of this server', url: issuer },
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: issuer }],
      tags: [
        { name: 'Stores', description: 'The stores that a token may read' },
        { name: 'Orders', description: 'The orders of a store' },
        { name: 'Inventory', description: 'The items of a store and their sales' },
        { name: 'Changes', description: changesGuide },
        { name: 'Webhooks', description: webhooksGuide },
        { name: 'Authorization', description: authorizationGuide },
        { name: 'Platform', description: 'Ingest, for the platform itself' },
      ],
      webhooks: webhooks as never,
      components: {
        // A copy: the library puts references into it, and a process may have several servers.
        schemas: structuredClone({
          ...errorSchemas,
          ...oauthErrorSchemas,
          ...oauthSchemas,
          ...webhookSchemas,
        }) as never,
        responses: { ...errorComponents, ...oauthErrorComponents },
        headers: headers as never,
        securitySchemes: {
          oauth2: {
            type: 'oauth2',
            flows: {
              clientCredentials: {
                tokenUrl: `${issuer}/auth/v2/token`,
                scopes: withGrant('client_credentials'),
              },
              authorizationCode: {
                authorizationUrl: `${issuer}/auth/v2/authorize`,
                tokenUrl: `${issuer}/auth/v2/token`,
                refreshUrl: `${issuer}/auth/v2/token`,
                scopes: withGrant('authorization_code'),
              },
            },
          },
        },
      },
    },
  })
  for (const { method, url, schema } of routes)
    if (schema?.tags && method !== 'HEAD') app.route({ method, url, schema, handler: async () => {} })
  await app.ready()
  return app.swagger()
}
